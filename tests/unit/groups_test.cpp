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
  finding.count = finding.first_count = 1;
  Access one, two;
  one.stack = at("/src/a.c", line);
  two.stack = at("/src/a.c", other_line);
  one.address.symbol = two.address.symbol = variable;
  finding.accesses = {one, two};
  return finding;
}

TEST(GroupsTest, RacesOnOneVariableAreOneFinding) {
  std::vector<Finding> findings = {race(1, 5, 9, "x"), race(2, 5, 5, "x"), race(3, 7, 8, "y")};
  group_by_root(findings, 1000);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].key, 1U);
  ASSERT_EQ(findings[0].variants.size(), 1U);
  EXPECT_EQ(findings[0].variants[0].key, 2U);
  EXPECT_TRUE(findings[1].variants.empty());
}

TEST(GroupsTest, RacesBetweenTheSameLinesAreOneFindingInEitherOrder) {
  std::vector<Finding> findings = {race(1, 5, 9, ""), race(2, 9, 5, ""), race(3, 5, 10, "")};
  group_by_root(findings, 1000);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].variants.size(), 1U);
}

Finding assertion(std::uint64_t key, unsigned line, std::uint64_t place, std::uint64_t count) {
  Finding finding;
  finding.kind = FindingKind::assertion;
  finding.message = "assertion failed: " + std::to_string(line);
  finding.key = key;
  finding.count = finding.first_count = count;
  finding.stack = at("/src/a.c", line);
  finding.early_end = {channel::EarlyEnd::Kind::spurious_wake_up, 1, place};
  return finding;
}

TEST(GroupsTest, FindingsThatNeedOneWakeUpAreOneFinding) {
  std::vector<Finding> findings = {assertion(1, 5, 7, 20), assertion(2, 6, 7, 20), assertion(3, 7, 8, 20),
                                   assertion(4, 8, 7, 2), assertion(5, 9, 0, 20)};
  findings.push_back(assertion(6, 10, 7, 20));
  findings.back().is_timely = true;  // it needs none
  std::vector<Finding> unknown = findings, explored = findings;
  mark_early_ends(findings, EarlyEnds::rare_wake_ups);
  group_by_root(findings, 1000);
  EXPECT_EQ(findings.size(), 5U);
  ASSERT_EQ(findings[0].variants.size(), 1U);
  EXPECT_EQ(findings[0].variants[0].key, 2U);
  mark_early_ends(unknown, EarlyEnds::not_known);
  group_by_root(unknown, 1000);
  EXPECT_EQ(unknown.size(), 6U);
  mark_early_ends(explored, EarlyEnds::explored);
  group_by_root(explored, 1000);
  EXPECT_EQ(explored.size(), 4U);  // two executions are enough if all are known
}

Finding race_at(std::uint64_t key, unsigned line, unsigned other_line, const char* variable, std::uint64_t offset) {
  Finding finding = race(key, line, other_line, variable);
  for (Access& access : finding.accesses) access.address.offset = offset;
  return finding;
}

/// Both accesses are in a helper function, which these lines call.
Finding race_in_helper(std::uint64_t key, unsigned caller, unsigned other_caller, const char* variable) {
  Finding finding = race(key, 3, 3, variable);
  finding.accesses[0].stack.frames.push_back(at("/src/a.c", caller).frames[0]);
  finding.accesses[1].stack.frames.push_back(at("/src/a.c", other_caller).frames[0]);
  return finding;
}

Finding free_and_use(std::uint64_t key, FindingKind kind, unsigned free_line, unsigned use_line, std::uint64_t offset) {
  Finding finding = race(key, use_line, free_line, "");
  finding.kind = kind;
  finding.accesses[1].kind = AccessKind::deallocation;
  finding.object.emplace();
  finding.object->place = Place::heap;
  finding.object->block = 1000;
  finding.object->block_size = 24;
  finding.object->address.value = 1000 + offset;
  finding.object->stack = at("/src/a.c", 2);
  return finding;
}

std::vector<std::size_t> sizes_of_groups(std::vector<Finding> findings) {
  group_by_root(findings, 1000);
  std::vector<std::size_t> sizes;
  for (const Finding& finding : findings) sizes.push_back(1 + finding.variants.size());
  return sizes;
}

TEST(GroupsTest, ACopyOfAStructThatRacesWithItsMembersIsOneFinding) {
  EXPECT_EQ(sizes_of_groups({race_at(1, 14, 5, "s", 0), race_at(2, 14, 6, "s", 4), race_at(3, 14, 7, "s", 8)}),
            std::vector<std::size_t>{3});
}

TEST(GroupsTest, RacesOnTwoMembersWithoutACommonAccessStayApart) {
  EXPECT_EQ(sizes_of_groups({race_at(1, 14, 5, "s", 0), race_at(2, 15, 6, "s", 4)}).size(), 2U);
}

TEST(GroupsTest, ACommonLineThatAccessesTwoObjectsIsNoCommonAccess) {
  EXPECT_EQ(sizes_of_groups({race_at(1, 14, 5, "s", 0), race_at(2, 14, 6, "t", 0)}).size(), 2U);
}

TEST(GroupsTest, BugsThatShareAHelperFunctionStayApart) {
  EXPECT_EQ(sizes_of_groups({race_in_helper(1, 10, 20, "x"), race_in_helper(2, 11, 21, "y")}).size(), 2U);
  EXPECT_EQ(sizes_of_groups({race_in_helper(1, 10, 20, "x"), race_in_helper(2, 20, 10, "x")}).size(), 1U);
}

TEST(GroupsTest, GroupsDoNotDependOnTheOrderOfFindings) {
  // The third one has a variable in common with the first, and an access with the second.
  const Finding one = race_at(1, 5, 6, "s", 0), two = race_at(2, 9, 10, "s", 8), both = race_at(3, 9, 7, "s", 0);
  EXPECT_EQ(sizes_of_groups({one, two, both}), std::vector<std::size_t>{3});
  EXPECT_EQ(sizes_of_groups({both, two, one}), std::vector<std::size_t>{3});
}

TEST(GroupsTest, UsesOfBlocksThatOneLineFreesAreOneFindingOfEachKind) {
  const Finding use = free_and_use(1, FindingKind::use_after_free, 16, 13, 8);
  EXPECT_EQ(sizes_of_groups({use, free_and_use(2, FindingKind::use_after_free, 16, 15, 0)}),
            std::vector<std::size_t>{2});
  EXPECT_EQ(sizes_of_groups({use, free_and_use(2, FindingKind::use_after_free, 30, 15, 0)}).size(), 2U);
  EXPECT_EQ(sizes_of_groups({use, free_and_use(2, FindingKind::race, 16, 15, 0)}).size(), 2U);
}

TEST(GroupsTest, BlocksOfOneAllocatorAreNotOneObject) {
  Finding one = free_and_use(1, FindingKind::use_after_free, 16, 13, 0), two = one;
  one.object->stack.frames[0].function = two.object->stack.frames[0].function = "xmalloc";
  one.object->stack.frames.push_back(at("/src/a.c", 40).frames[0]);
  two.object->stack.frames.push_back(at("/src/a.c", 41).frames[0]);
  two.accesses[0].stack = at("/src/a.c", 60);
  two.accesses[1].stack = at("/src/a.c", 61);
  EXPECT_EQ(sizes_of_groups({one, two}).size(), 2U);
}

TEST(GroupsTest, AFindingCountsItsVariantsAndNoExecutionTwice) {
  std::vector<Finding> findings = {race_at(1, 14, 5, "s", 0), race_at(2, 14, 6, "s", 4)};
  findings[0].count = findings[0].first_count = 600;
  findings[1].count = 700;
  findings[1].first_count = 300;  // the other 400 executions have shown the first one before
  group_by_root(findings, 1000);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 900U);
  EXPECT_EQ(findings[0].variants[0].count, 700U);
}

TEST(GroupsTest, ACountNeverExceedsTheExecutions) {
  std::vector<Finding> findings = {race_at(1, 14, 5, "s", 0), race_at(2, 14, 6, "s", 4)};
  for (Finding& finding : findings) finding.count = finding.first_count = 645;
  group_by_root(findings, 1000);
  EXPECT_EQ(findings[0].count, 1000U);
}

TEST(GroupsTest, DeadlocksOfOneCycleAreOneFindingWhereverOtherThreadsAre) {
  const auto deadlock = [](std::uint64_t key, unsigned line_of_bystander) {
    Finding finding;
    finding.kind = FindingKind::deadlock;
    finding.key = key;
    for (const unsigned line : {5U, 9U, line_of_bystander}) {
      ThreadState& thread = finding.threads.emplace_back();
      thread.thread = "T0." + std::to_string(finding.threads.size());
      thread.activity = Activity::waits_for_object;
      thread.stack = at("/src/a.c", line);
    }
    finding.cycle = {"T0.1", "T0.2"};
    return finding;
  };
  EXPECT_EQ(sizes_of_groups({deadlock(1, 20), deadlock(2, 30)}), std::vector<std::size_t>{2});
}

TEST(GroupsTest, LiveBugsAreNewOnce) {
  LiveBugs bugs;
  EXPECT_TRUE(bugs.is_new(race_at(1, 14, 5, "s", 0)));
  EXPECT_FALSE(bugs.is_new(race_at(1, 14, 5, "s", 0)));
  EXPECT_FALSE(bugs.is_new(race_at(2, 14, 6, "s", 4)));
  EXPECT_TRUE(bugs.is_new(race_at(3, 30, 31, "t", 0)));
  EXPECT_EQ(bugs.count(), 2U);
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
  group_by_root(findings, 1000);
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
  group_by_root(findings, 1000);
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
  group_by_root(findings, 1000);
  EXPECT_EQ(findings.size(), 2U);
}

}  // namespace
}  // namespace heddle::findings
