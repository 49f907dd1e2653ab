#include "findings/groups.hpp"

#include <gtest/gtest.h>

namespace heddle::findings {
namespace {

Stack at(const char* file, unsigned line) {
  Frame frame;
  frame.function = "work";
  frame.file = file;
  frame.line = line;
  return {{}, {frame}};
}

Finding race(std::uint64_t key, unsigned line, unsigned other_line, const char* variable) {
  Finding finding;
  finding.kind = FindingKind::race;
  finding.key = key;
  Access one, two;
  one.stack = at("/src/a.c", line);
  two.stack = at("/src/a.c", other_line);
  one.address.symbol = two.address.symbol = variable;
  finding.accesses = {one, two};
  return finding;
}

TEST(GroupsTest, RacesOnOneVariableAreOneFinding) {
  std::vector<Finding> findings = {race(1, 5, 9, "x"), race(2, 5, 5, "x"), race(3, 7, 8, "y")};
  group_by_root(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].key, 1U);
  ASSERT_EQ(findings[0].variants.size(), 1U);
  EXPECT_EQ(findings[0].variants[0].key, 2U);
  EXPECT_TRUE(findings[1].variants.empty());
}

TEST(GroupsTest, RacesBetweenTheSameLinesAreOneFindingInEitherOrder) {
  std::vector<Finding> findings = {race(1, 5, 9, ""), race(2, 9, 5, ""), race(3, 5, 10, "")};
  group_by_root(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].variants.size(), 1U);
}

TEST(GroupsTest, OtherKindsOnOneLineStayApartUnlessTheirTextIsTheSame) {
  Finding assertion;
  assertion.kind = FindingKind::assertion;
  assertion.message = "assertion failed: a";
  assertion.stack = at("/src/a.c", 5);
  Finding other = assertion, same = assertion, crash = assertion;
  other.message = "assertion failed: b";
  crash.kind = FindingKind::crash;
  std::vector<Finding> findings = {assertion, other, same, crash};
  group_by_root(findings);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].variants.size(), 1U);
}

TEST(GroupsTest, TheOrderOfLocksIsAVariantOfTheDeadlockThatItLeadsTo) {
  Finding order;
  order.kind = FindingKind::lock_order;
  order.is_warning = true;
  for (const unsigned line : {5U, 9U}) {
    Access lock, held;
    lock.kind = AccessKind::lock;
    lock.stack = at("/src/a.c", line);
    held.kind = AccessKind::held_lock;
    held.stack = at("/src/a.c", line - 1);
    order.accesses.push_back(lock);
    order.accesses.push_back(held);
  }
  Finding deadlock;
  deadlock.kind = FindingKind::deadlock;
  deadlock.cycle = {"T0.1", "T0.2"};
  deadlock.threads.resize(3);
  deadlock.threads[0].thread = "T0";
  deadlock.threads[0].stack = at("/src/a.c", 20);
  deadlock.threads[1].thread = "T0.2";
  deadlock.threads[1].stack = at("/src/a.c", 9);
  deadlock.threads[2].thread = "T0.1";
  deadlock.threads[2].stack = at("/src/a.c", 5);
  Finding other = order;
  other.accesses[0].stack = at("/src/a.c", 30);
  std::vector<Finding> findings = {order, other, deadlock};
  group_by_root(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].kind, FindingKind::deadlock);
  ASSERT_EQ(findings[0].variants.size(), 1U);
  EXPECT_EQ(findings[0].variants[0].kind, FindingKind::lock_order);
  EXPECT_EQ(findings[1].kind, FindingKind::lock_order);
}

TEST(GroupsTest, FindingsWithoutLinesStayApart) {
  Finding one, two;
  one.key = 1;
  two.key = 2;
  std::vector<Finding> findings = {one, two};
  group_by_root(findings);
  EXPECT_EQ(findings.size(), 2U);
}

}  // namespace
}  // namespace heddle::findings
