#include <gtest/gtest.h>

#include "findings/stack_ends.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"

namespace heddle::report {
namespace {

using findings::Frame;

Frame frame(const char* function, const char* module = "prog", const char* file = "/src/prog.cpp") {
  return {function, file, 1, 2, module, 16, false};
}

std::vector<std::string> trimmed(std::vector<Frame> frames) {
  findings::trim_stack(frames);
  std::vector<std::string> names;
  for (const Frame& f : frames) names.push_back(f.function);
  return names;
}

using Names = std::vector<std::string>;

TEST(Stacks, LoseHeddleAndStartUpAtTheirEndsOnly) {
  EXPECT_EQ(trimmed({frame("memcpy", "libheddle.so"), frame("f()"), frame("pthread_once", "libheddle.so"),
                     frame("main"), frame("__libc_start_main", "libc.so.6", "")}),
            (Names{"f()", "pthread_once", "main"}));
  EXPECT_EQ(trimmed({frame("worker()"), frame("void std::__invoke_impl<void, void (*)()>(x)"),
                     frame("std::thread::_State_impl<x>::_M_run()"), frame("run", "libheddle.so")}),
            Names{"worker()"});
}

TEST(Stacks, LoseTheCallOfASignalHandler) {
  EXPECT_EQ(trimmed({frame("handler(int)"), frame("heddle_clean_call", "libheddle.so"), frame("main")}),
            (Names{"handler(int)", "main"}));
}

TEST(Stacks, KeepSomething) {
  EXPECT_EQ(trimmed({frame("std::thread::join()", "libstdc++.so.6", ""), frame("run", "libheddle.so")}),
            Names{"std::thread::join()"});
  EXPECT_EQ(trimmed({frame("run", "libheddle.so")}), Names{"run"});
}

TEST(FunctionNames, AreShortenedOnlyWhereTheyAreLong) {
  EXPECT_EQ(short_function_name("f(std::vector<int>)"), "f(std::vector<int>)");
  const std::string string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  EXPECT_EQ(short_function_name("f(" + string + ")"), "f(std::string)");
  const std::string list(90, 'x');
  EXPECT_EQ(short_function_name("std::map<" + list + ">::erase(int)"), "std::map<...>::erase(int)");
  EXPECT_EQ(short_function_name("bool operator<<" + list), "bool operator<<" + list);
  EXPECT_EQ(short_function_name("a<" + list + "> f(" + list + ")"), "a<...> f(...)");
}

TEST(Terminal, FoldsRecursion) {
  findings::Finding finding;
  finding.kind = findings::FindingKind::stack_overflow;
  finding.message = "the stack of the thread is full";
  finding.stack.frames.assign(50, frame("f()"));
  const std::string text = finding_text(finding, 0, Colour::never);
  EXPECT_NE(text.find("#0 f() /src/prog.cpp:1:2\n       (and 49 times more)\n"), std::string::npos) << text;
}

TEST(Headlines, NameTheKindUnlessTheMessageDoes) {
  findings::Finding finding;
  finding.kind = findings::FindingKind::assertion;
  finding.message = "x == 1";
  EXPECT_EQ(headline(finding), "assertion failed: x == 1");
  finding.message = "assertion failed: x == 1";
  finding.message_names_kind = true;
  EXPECT_EQ(headline(finding), "assertion failed: x == 1");
  finding.kind = findings::FindingKind::use_after_free;
  finding.message_names_kind = false;
  finding.message = "read by T1";
  EXPECT_EQ(headline(finding), "use after free: read by T1");
}

TEST(Headlines, ShowAnAddressOnlyWhereThereIsNoOtherName) {
  findings::Finding finding;
  finding.kind = findings::FindingKind::race;
  finding.accesses.resize(2);
  finding.accesses[0].address.value = 0x4010;
  EXPECT_EQ(headline(finding), "data race on the memory at 0x4010");
  EXPECT_TRUE(headline_shows_address(finding));
  finding.object.emplace();
  finding.object->place = findings::Place::stack;
  EXPECT_FALSE(headline_shows_address(finding));
  finding.accesses[0].address.symbol = "counter";
  EXPECT_EQ(headline(finding), "data race on `counter`");
  EXPECT_FALSE(headline_shows_address(finding));
}

TEST(Limits, AreAdvisedOnByTheirKindAndNotByTheirWords) {
  findings::Finding finding;
  finding.kind = findings::FindingKind::limit;
  finding.message = "the time and the memory of the heap";
  for (const auto limit :
       {findings::LimitKind::events, findings::LimitKind::address_space, findings::LimitKind::hang}) {
    finding.limit = limit;
    EXPECT_EQ(limit_advice(finding), "");
  }
  finding.limit = findings::LimitKind::check_timeout;
  EXPECT_EQ(limit_advice(finding), "the option timeout of the check raises this limit");
}

TEST(ShellWords, AreQuotedWhereTheyNeedIt) {
  EXPECT_EQ(shell_word("out/prog-race-1a2b.trace"), "out/prog-race-1a2b.trace");
  EXPECT_EQ(shell_word("my file"), "'my file'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

findings::Results sampled(std::uint64_t executions, std::uint64_t last_new) {
  findings::Results results;
  results.statistics.executions = executions;
  results.coverage.over_time = {{executions / 2, 30}, {executions, 40}};
  results.coverage.last_new_graph = last_new;
  results.coverage.since_new_graph = executions - last_new - 1;
  return results;
}

TEST(CoverageText, SaysWhetherNewGraphsStillCome) {
  EXPECT_EQ(coverage_text(sampled(2000, 99)), "no new graph came in the last 1900 executions");
  EXPECT_EQ(coverage_text(sampled(2000, 1899)), "new graphs still come: 10 of the last 1000 executions showed one");
  EXPECT_EQ(coverage_text(sampled(200, 99)), "");  // too few to judge
}

TEST(CoverageText, EstimatesWhatIsUnseenIfExecutionsAreIndependent) {
  findings::Results results = sampled(2000, 1899);
  results.coverage.unseen = 1234;
  EXPECT_TRUE(coverage_text(results).ends_with("; by their frequencies, at least 1200 graphs are unseen"));
}

TEST(CoverageText, IsLeftOutIfEveryGraphWasExplored) {
  findings::Results results = sampled(2000, 99);
  results.search.is_finished = true;
  EXPECT_EQ(coverage_text(results), "");
}

}  // namespace
}  // namespace heddle::report
