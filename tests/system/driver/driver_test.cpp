// The command as a user runs it, against workers that do as they are told (fake_worker.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "command.hpp"

namespace heddle::tests {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
using testing::AssertionFailure;
using testing::AssertionSuccess;

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return AssertionSuccess();
  return AssertionFailure() << "'" << part << "' is not in:\n" << text;
}

class Driver : public testing::Test {
 protected:
  CommandResult heddle(Words arguments, CommandOptions options = {}) {
    arguments.insert(arguments.begin(), HEDDLE_COMMAND);
    if (options.folder.empty()) options.folder = folder_.path();
    return run_command(arguments, options);
  }
  /// heddle test with these options on a worker with this script.
  CommandResult test(Words options, const Words& script, const CommandOptions& how = {}) {
    options.insert(options.begin(), "test");
    options.push_back(FAKE_WORKER);
    options.insert(options.end(), script.begin(), script.end());
    return heddle(options, how);
  }
  Json json(Words options, const Words& script) {
    options.insert(options.end(), {"--json", "r.json"});
    last_ = test(options, script);
    return Json::parse(read_text(folder_.file("r.json")), nullptr, false);
  }
  /// The same but for what may differ between runs.
  static Json timeless(Json json) {
    json.erase("seconds");
    json.erase("rate");
    return json;
  }
  std::string only_trace() const {
    for (const std::string& file : folder_.files())
      if (file.ends_with(".trace")) return file;
    return "no trace";
  }

  TemporaryFolder folder_;
  CommandResult last_;
};

TEST_F(Driver, ACleanProgramExitsWithZeroAndLeavesNothingBehind) {
  const auto result = test({"-n", "20"}, {});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::regex_match(
      result.out, std::regex(R"(heddle: 20 executions, 0 buggy \(0\.0%\), 0 bugs, 7 graphs, \d+\.\d\d s, \d+/s\n)")))
      << result.out;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(folder_.files(), Words{});
}

TEST_F(Driver, ARaceIsShownWithItsVariableBothAccessesAndTheReplayCommand) {
  const auto result = test({"-n", "10"}, {"race=3", "print=hello\n\033[2Jx"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "heddle: data race on `counter` (4 bytes)\n"));
  EXPECT_TRUE(contains(result.out, "found in 3 of 10 executions, first in execution 3\n"));
  EXPECT_TRUE(contains(result.out, "  write of 4 bytes by thread T0.1\n"));
  EXPECT_TRUE(contains(result.out, "  previous atomic read (relaxed) of 4 bytes by thread T0.2\n"));
  EXPECT_TRUE(contains(result.out, "fake_worker.cpp:"));
  EXPECT_TRUE(contains(result.out, "writer()"));
  EXPECT_TRUE(contains(result.out, "    | hello\n    | \\x1b[2Jx\n"));
  EXPECT_TRUE(contains(result.out, "replay: heddle replay heddle-out/fake_worker-race-1a2b3c4d.trace\n"));
  EXPECT_TRUE(contains(result.out, "\nheddle: 10 executions, 3 buggy (30.0%), 1 bug, 7 graphs, "));
}

TEST_F(Driver, TheJsonHasTheSameFigures) {
  const Json report = json({"-n", "10", "--seed", "4"}, {"race=3"});
  EXPECT_EQ(report["executions"], 10);
  EXPECT_EQ(report["buggy"], 3);
  EXPECT_EQ(report["distinct_graphs"], 7);
  EXPECT_EQ(report["events"], 100);
  EXPECT_EQ(report["seed"], 4);
  EXPECT_EQ(report["strategy"], "auto");
  EXPECT_EQ(report["model"], "rc11");
  EXPECT_EQ(report["isolation"], "reset");
  EXPECT_EQ(report["args"], Json({"race=3"}));
  ASSERT_EQ(report["findings"].size(), 1u);
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["kind"], "race");
  EXPECT_EQ(finding["key"], "1a2b3c4d00000000");
  EXPECT_EQ(finding["count"], 3);
  EXPECT_EQ(finding["first_execution"], 3);
  EXPECT_EQ(finding["trace"], "heddle-out/fake_worker-race-1a2b3c4d.trace");
  EXPECT_EQ(finding["accesses"][0]["symbol"], "counter");
  EXPECT_EQ(finding["accesses"][0]["stack"][0]["function"], "(anonymous namespace)::writer()");
  EXPECT_EQ(finding["accesses"][0]["stack"][0]["module"], "fake_worker");
}

TEST_F(Driver, TheSameSeedGivesTheSameJsonWithAnyNumberOfWorkers) {
  const Words script = {"race=3", "late=17", "die=5:11"};
  const Json one = timeless(json({"-n", "40"}, script));
  EXPECT_EQ(one["executions"], 40);
  EXPECT_EQ(one["findings"].size(), 3u);
  for (const char* jobs : {"2", "3", "7", "100"})
    EXPECT_EQ(timeless(json({"-n", "40", "-j", jobs}, script)), one) << jobs;
}

TEST_F(Driver, StoppingAtTheFirstBugDoesNotDependOnWhoIsFaster) {
  for (const char* jobs : {"1", "2", "5"}) {
    const Json report = json({"-n", "1000", "-j", jobs, "--stop-on-bug"}, {"late=30", "race=31"});
    EXPECT_EQ(report["executions"], 31) << jobs;
    EXPECT_EQ(report["buggy"], 1) << jobs;
    ASSERT_EQ(report["findings"].size(), 1u) << jobs;
    EXPECT_EQ(report["findings"][0]["first_execution"], 30) << jobs;
    EXPECT_EQ(report["findings"][0]["count"], 1) << jobs;
  }
}

TEST_F(Driver, ADyingWorkerCostsOneExecution) {
  const Json report = json({"-n", "10"}, {"die=4:11", "print=last words"});
  EXPECT_EQ(last_.exit_code, 1);
  EXPECT_EQ(report["executions"], 10);
  EXPECT_EQ(report["buggy"], 1);
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["kind"], "crash");
  EXPECT_EQ(report["findings"][0]["message"],
            "the program was killed by signal 11 (Segmentation fault) in execution 4");
  EXPECT_EQ(report["findings"][0]["output"], "last words");
}

TEST_F(Driver, AnExecutionMayEndTheProcessOfItsWorkerWithStatusZero) {
  const Json report = json({"-n", "10", "-j", "2"}, {"exit=4:0"});
  EXPECT_EQ(last_.exit_code, 0) << last_.out;
  EXPECT_EQ(report["executions"], 10);
  EXPECT_EQ(report["findings"], Json::array());
}

TEST_F(Driver, AnotherExitStatusOfAWorkerIsAFinding) {
  const Json report = json({"-n", "10", "-j", "2"}, {"exit=4:7", "print=last words"});
  EXPECT_EQ(last_.exit_code, 1);
  EXPECT_EQ(report["executions"], 10);
  EXPECT_EQ(report["buggy"], 1);
  ASSERT_EQ(report["findings"].size(), 1U);
  EXPECT_EQ(report["findings"][0]["kind"], "exit-status");
  EXPECT_EQ(report["findings"][0]["exit_status"], 7);
  EXPECT_EQ(report["findings"][0]["output"], "last words");
  EXPECT_EQ(json({"-n", "10", "--exit-status", "any"}, {"exit=4:7"})["findings"], Json::array());
}

TEST_F(Driver, ACrashWithoutARecordIsReplayedByItsNumber) {
  test({"-n", "10"}, {"die=4:6"});
  const auto result = heddle({"replay", only_trace()});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "killed by signal 6"));
}

TEST_F(Driver, AHangIsEndedAndTheRestIsRun) {
  const Json report = json({"-n", "6", "--timeout", "200ms"}, {"hang=2"});
  EXPECT_EQ(last_.exit_code, 3);
  EXPECT_EQ(report["executions"], 6);
  EXPECT_EQ(report["cut_off"], 1);
  EXPECT_EQ(report["buggy"], 0);
  EXPECT_EQ(report["findings"][0]["kind"], "limit");
  EXPECT_TRUE(contains(last_.out, "--timeout"));
  EXPECT_TRUE(contains(last_.err, "limit was reached"));
}

TEST_F(Driver, AWorkerThatDoesNotListenIsKilled) {
  const Json report = json({"-n", "6", "-j", "2", "--timeout", "200ms"}, {"deaf=2"});
  EXPECT_EQ(last_.exit_code, 3);
  EXPECT_EQ(report["executions"], 6);
  EXPECT_EQ(report["cut_off"], 1);
  EXPECT_TRUE(contains(report["findings"][0]["message"], "no visible operation for 0.2 s"));
}

TEST_F(Driver, BugsOutweighLimits) { EXPECT_EQ(test({"-n", "5"}, {"limit", "late=2"}).exit_code, 1); }

TEST_F(Driver, WhatIsNotSupportedIsSaid) {
  const auto result = test({"-n", "9"}, {"fail=3:the program calls vfork"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, "heddle: the program calls vfork\n");
}

TEST_F(Driver, ADeadlockShowsItsCycle) {
  const Json report = json({"-n", "2"}, {"deadlock"});
  EXPECT_EQ(report["blocked"], 2);
  EXPECT_EQ(report["findings"][0]["threads"][0]["object"], "hidden+4");
  EXPECT_EQ(report["findings"][0]["threads"][1]["object"], "object 1");
  EXPECT_TRUE(contains(last_.out, "thread T0.1 waits for mutex `hidden`+4, which T0.2 holds"));
  EXPECT_TRUE(contains(last_.out, "each waits for the next: T0.1, T0.2, T0.1"));
}

TEST_F(Driver, ForkIsolationIsExplained) {
  const auto result = test({"-n", "2"}, {"fork"});
  EXPECT_TRUE(contains(result.out, "heddle: using fork isolation: two runs of one seed printed different things\n"));
}

TEST_F(Driver, OutputIsShownOnRequest) {
  EXPECT_FALSE(contains(test({"-n", "2"}, {"print=a\n"}).out, "output of execution"));
  const auto result = test({"-n", "2", "-j", "2", "--show-output"}, {"print=a\n"});
  EXPECT_TRUE(contains(result.out, "heddle: output of execution 0:\na\nheddle: output of execution 1:\na\n"));
}

TEST_F(Driver, QuietLeavesOnlyTheLastLine) {
  const std::string out = test({"-n", "9", "-q"}, {"race=3"}).out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1);
}

TEST_F(Driver, TimeEndsACampaign) {
  const Json report = json({"-t", "300ms", "-n", "1000000"}, {"slow=5"});
  EXPECT_EQ(last_.exit_code, 0);
  EXPECT_GE(report["executions"], 1);
  EXPECT_LT(report["executions"], 1000000);
}

TEST_F(Driver, CtrlCPrintsWhatThereIs) {
  CommandOptions how;
  how.interrupt_when = "heddle-out";  // which begins with the first trace
  const auto result = test({"-n", "100000", "-j", "2"}, {"slow=5", "late=3"}, how);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out, "assertion failed: x == 1"));
  EXPECT_TRUE(contains(result.out, " buggy ("));
}

TEST_F(Driver, ProgramsThatCannotBeTestedAreRefusedWithTheReason) {
  write_text(folder_.file("script"), "#!/bin/sh\n");
  std::filesystem::permissions(folder_.file("script"), std::filesystem::perms::owner_all);
  write_text(folder_.file("text"), "no program");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"./missing", "./missing does not exist"},
      {"/bin/cat", "/bin/cat was not built with heddle: compile and link it with heddle c++ or heddle cc"},
      {"./script", "./script is not an ELF program"},
      {"./text", "./text is not executable"},
      {".", ". is a folder"}};
  for (const auto& [program, sentence] : cases) {
    const auto result = heddle({"test", program});
    EXPECT_EQ(result.exit_code, 3) << program;
    EXPECT_TRUE(contains(result.err, "heddle: " + sentence));
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Driver, EndsBeforeMainAreTold) {
  EXPECT_TRUE(contains(test({}, {"early=11"}).err, "ended before main: killed by signal 11 (Segmentation fault)"));
  EXPECT_TRUE(contains(test({}, {"unloaded=5"}).err, "ended with exit status 5"));
  EXPECT_TRUE(contains(test({"--timeout", "100ms"}, {"stuck"}).err, "did not reach main within 0.1 s"));
  EXPECT_EQ(test({}, {"early=11"}).exit_code, 3);
}

TEST_F(Driver, WrongUsageIsToldBeforeAnythingRuns) {
  EXPECT_EQ(heddle({}).exit_code, 2);
  EXPECT_EQ(heddle({"tset"}).exit_code, 2);
  EXPECT_EQ(test({"--json", "/does/not/exist/r.json"}, {}).exit_code, 2);
  EXPECT_EQ(test({"--json", "."}, {}).exit_code, 2);
  EXPECT_EQ(test({"--bogus"}, {}).exit_code, 2);
  EXPECT_EQ(heddle({"replay"}).exit_code, 2);
  EXPECT_EQ(heddle({"replay", "--bogus", "x"}).exit_code, 2);
  write_text(folder_.file("file"), "");
  EXPECT_TRUE(contains(test({"--out", "file"}, {}).err, "is not a folder"));
  EXPECT_EQ(folder_.files(), Words{"file"});
  EXPECT_EQ(heddle({"--version"}).exit_code, 0);
  EXPECT_EQ(heddle({"test", "--help"}).exit_code, 0);
}

TEST_F(Driver, AProgramStartedAloneTakesItsOptionsFromTheEnvironment) {
  CommandOptions how;
  how.environment = {"HEDDLE_OPTIONS=runs=5:seed=3:quiet=1"};
  EXPECT_TRUE(
      contains(heddle({"test", "--from-program", FAKE_WORKER, "race=2"}, how).out, "heddle: 5 executions, 2 buggy"));
  how.environment = {"HEDDLE_OPTIONS=bogus=5"};
  EXPECT_EQ(heddle({"test", "--from-program", FAKE_WORKER}, how).exit_code, 2);
}

TEST_F(Driver, AReplayShowsTheSameFinding) {
  test({"-n", "10"}, {"race=4", "print=hi"});
  const auto result = heddle({"replay", "--json", "r.json", only_trace()});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "data race on `counter`"));
  EXPECT_TRUE(contains(result.out, "the same finding"));
  EXPECT_EQ(Json::parse(read_text(folder_.file("r.json")))["findings"][0]["kind"], "race");
}

TEST_F(Driver, AReplayThatShowsSomethingElseIsTold) {
  test({"-n", "10"}, {"race=4", "drifting"});
  const auto result = heddle({"replay", only_trace()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result.err, "was not reproduced"));
}

TEST_F(Driver, DamagedAndForeignTracesAreRefused) {
  test({"-n", "10"}, {"race=4"});
  const std::string bytes = read_text(folder_.file(only_trace()));
  const auto replay = [&](const std::string& content) {
    write_text(folder_.file("t"), content);
    const auto result = heddle({"replay", "t"});
    EXPECT_EQ(result.exit_code, 3);
    return result.err;
  };
  EXPECT_TRUE(contains(replay(bytes.substr(0, bytes.size() - 1)), "t is truncated"));
  EXPECT_TRUE(
      contains(replay(bytes.substr(0, bytes.size() - 9) + "x" + bytes.substr(bytes.size() - 8)), "t is corrupted"));
  EXPECT_TRUE(contains(replay("something else"), "t is not a heddle trace"));
  EXPECT_TRUE(contains(replay(""), "t is not a heddle trace"));
  EXPECT_EQ(heddle({"replay", "missing"}).exit_code, 3);
}

TEST_F(Driver, AnotherProgramIsRefusedByItsBuildId) {
  test({"-n", "10"}, {"race=4"});
  const auto other = heddle({"replay", "--program", OTHER_FAKE_WORKER, only_trace()});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_TRUE(contains(other.err, "is not the program that"));
  std::filesystem::copy_file(FAKE_WORKER, folder_.file("moved"));
  EXPECT_EQ(heddle({"replay", "--program", "./moved", only_trace()}).exit_code, 1);
}

}  // namespace
}  // namespace heddle::tests
