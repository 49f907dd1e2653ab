#include "findings/suppressions.hpp"

#include <gtest/gtest.h>

namespace heddle::findings {
namespace {

Suppressions parsed(const char* text) { return std::get<Suppressions>(Suppressions::parse(text)); }

Stack stack_of(const char* function, const char* file, const char* module = "program") {
  Frame frame;
  frame.function = function;
  frame.file = file;
  frame.module = module;
  Frame main;
  main.function = "main";
  main.file = "/src/main.c";
  main.module = "program";
  return {{}, {frame, main}};
}

Finding race() {
  Finding finding;
  finding.kind = FindingKind::race;
  Access one, two;
  one.stack = stack_of("Queue::push(int)", "/src/queue.cpp");
  two.stack = stack_of("Queue::pop()", "/src/queue.cpp", "libqueue.so.1");
  one.address.symbol = two.address.symbol = "shared";
  finding.accesses = {one, two};
  return finding;
}

TEST(SuppressionsTest, PatternsMatchPartsOfNamesWithStarsAndAnchors) {
  EXPECT_TRUE(matches_pattern("push", "Queue::push(int)"));
  EXPECT_TRUE(matches_pattern("Q*push", "Queue::push(int)"));
  EXPECT_TRUE(matches_pattern("^Queue", "Queue::push(int)"));
  EXPECT_FALSE(matches_pattern("^push", "Queue::push(int)"));
  EXPECT_TRUE(matches_pattern("(int)$", "Queue::push(int)"));
  EXPECT_FALSE(matches_pattern("push$", "Queue::push(int)"));
  EXPECT_TRUE(matches_pattern("^Q*)$", "Queue::push(int)"));
  EXPECT_TRUE(matches_pattern("*", "x"));
  EXPECT_FALSE(matches_pattern("*", ""));
}

TEST(SuppressionsTest, RacesMatchByFunctionFileLibraryAndVariable) {
  for (const char* text : {"race:Queue::pop", "race:queue.cpp", "race:libqueue.so", "race:shared", "race:^main$",
                           "race_top:push", "called_from_lib:libqueue"})
    EXPECT_NE(parsed(text).find(race()), nullptr) << text;
  for (const char* text : {"race:other", "race_top:main", "called_from_lib:libother", "deadlock:push", "mutex:push"})
    EXPECT_EQ(parsed(text).find(race()), nullptr) << text;
}

TEST(SuppressionsTest, EveryKindSuppressesItsOwnFindingsOnly) {
  Finding finding;
  finding.stack = stack_of("work", "/src/work.c");
  const std::pair<FindingKind, const char*> kinds[] = {{FindingKind::deadlock, "deadlock:work"},
                                                       {FindingKind::misuse, "mutex:work"},
                                                       {FindingKind::assertion, "assert:work"},
                                                       {FindingKind::crash, "crash:work"}};
  for (const auto& [kind, text] : kinds) {
    finding.kind = kind;
    EXPECT_NE(parsed(text).find(finding), nullptr) << text;
    finding.kind = FindingKind::livelock;
    EXPECT_EQ(parsed(text).find(finding), nullptr) << text;
  }
}

TEST(SuppressionsTest, CommentsAndBlanksAreIgnoredAndOtherLinesAreErrors) {
  EXPECT_TRUE(parsed("# nothing\n\n   \n").empty());
  EXPECT_NE(parsed("# one\r\n  race:push  \r\n").find(race()), nullptr);
  const auto line_of = [](const char* text) {
    return std::get<Suppressions::Malformed>(Suppressions::parse(text)).line;
  };
  EXPECT_EQ(line_of("race:x\nraces:x\n"), 2U);
  EXPECT_EQ(line_of("push"), 1U);
  EXPECT_EQ(line_of("\nrace:\n"), 2U);
}

}  // namespace
}  // namespace heddle::findings
