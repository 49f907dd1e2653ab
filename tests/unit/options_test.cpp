#include <gtest/gtest.h>

#include "cli/run_options.hpp"
#include "cli/test_options.hpp"
#include "report/text.hpp"

namespace heddle::cli {
namespace {

using std::chrono::milliseconds;
using Words = std::vector<std::string>;

/// The values of HEDDLE_OPTIONS as "name=value", in the order of the table, or the problem.
Words environment(const std::string& text) {
  const auto values = values_from_environment(text);
  if (!values) return {"problem", values.problem().text};
  Words words;
  for (const auto& [field, value] : *values) words.push_back(std::string(field->name) + "=" + value.text);
  return words;
}

TEST(EnvironmentOptions, AreSeparatedByColonsCommasOrSpaces) {
  EXPECT_EQ(environment("runs=500:strategy=random:seed=3:stop_on_bug=1"),
            (Words{"strategy=random", "runs=500", "seed=3", "stop-on-bug=1"}));
  EXPECT_EQ(environment("runs=1,seed=2 quiet=1"), (Words{"runs=1", "seed=2", "quiet=1"}));
  EXPECT_EQ(environment("max-events=7 leaks=off"), (Words{"max-events=7", "leaks=0"}));
  EXPECT_EQ(environment(""), Words{});
  EXPECT_EQ(environment(" :: "), Words{});
}

TEST(EnvironmentOptions, TheLastValueCounts) {
  EXPECT_EQ(environment("runs=1:leaks=1:runs=2:leaks=0"), (Words{"runs=2", "leaks=0"}));
}

TEST(EnvironmentOptions, AStrategyKeepsItsParameters) {
  EXPECT_EQ(environment("strategy=pct:d=3,k=10:seed=4"), (Words{"strategy=pct:d=3,k=10", "seed=4"}));
  EXPECT_EQ(environment("strategy='a:seed=1' seed=2"), (Words{"strategy=a:seed=1", "seed=2"}));
}

TEST(EnvironmentOptions, UnknownOnesAreNamed) {
  EXPECT_NE(environment("rums=5")[1].find("there is no option 'rums'"), std::string::npos);
  EXPECT_NE(environment("runs")[1].find("has no value"), std::string::npos);
  EXPECT_NE(environment("quiet=perhaps")[1].find("quiet=1"), std::string::npos);
  EXPECT_NE(environment("strategy=random bogus=1")[1].find("bogus"), std::string::npos);
}

TEST(EnvironmentOptions, HaveEveryOptionOfHeddleTest) {
  for (const run::Field& field : run::fields()) {
    if ((field.uses & run::test) == 0) continue;
    std::string key(field.name);
    std::replace(key.begin(), key.end(), '-', '_');
    EXPECT_EQ(environment(key + "=1"), Words{std::string(field.name) + "=1"});
  }
}

TEST(EnvironmentOptions, HaveKeysOfTheirOwn) {
  EXPECT_EQ(environment("exitcode=66:log_path=/tmp/log"), (Words{"exitcode=66", "log-path=/tmp/log"}));
  const auto asked = values_from_environment("runs=3:help=1");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.problem().exit_code, ExitCode::no_bug);
  EXPECT_EQ(environment("help=perhaps")[1], "HEDDLE_OPTIONS: write help=1 or help=0");
  // They are no options of the command line.
  EXPECT_EQ(run::find_field("exitcode", run::test), nullptr);
  for (const char* key : {"strategy=NAME", "stop_on_bug=1", "exitcode=N", "log_path=FILE", "help=1"})
    EXPECT_NE(asked.problem().text.find(key), std::string::npos) << key;
}

TEST(EnvironmentOptions, ReachTheExhaustiveSearch) {
  const auto values =
      values_from_environment("strategy=exhaustive keep_going=1:bound_loop=3,bound_events=9:symmetry=1");
  ASSERT_TRUE(values) << values.problem().text;
  const auto run = make_specification(run::test, *values);
  ASSERT_TRUE(run) << run.problem().text;
  EXPECT_EQ(run->strategy, "exhaustive:events=9,loop=3,symmetry=1");
  EXPECT_TRUE(run->keep_going);
  EXPECT_FALSE(run->stop_on_bug);
}

TEST(EnvironmentOptions, AWrongValueIsReportedWithItsKey) {
  const auto run = make_specification(run::test, *values_from_environment("max_events=many"));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.problem().text, "HEDDLE_OPTIONS: max_events many: this is not a number above 0: write digits only");
}

Result<TestOptions> parse(Words arguments) { return parse_test_options(run::test, std::move(arguments)); }
Result<TestOptions> parse_verify(Words arguments) { return parse_test_options(run::verify, std::move(arguments)); }

TEST(TestOptions, EndAtTheProgram) {
  const auto options = parse({"-n", "5", "./prog", "-n", "6", "--bogus", "--", "x"});
  ASSERT_TRUE(options) << options.problem().text;
  EXPECT_EQ(options->subject.run.runs, 5u);
  EXPECT_EQ(options->subject.program_name, "./prog");
  EXPECT_EQ(options->subject.args, (Words{"-n", "6", "--bogus", "--", "x"}));
}

TEST(TestOptions, TakeAllTheFormsOfOptions) {
  const auto options = parse({"-n5", "--seed=9", "-j", "3", "--time", "2m", "--", "prog", "--", "-q"});
  ASSERT_TRUE(options) << options.problem().text;
  EXPECT_EQ(options->subject.run.runs, 5u);
  EXPECT_EQ(options->subject.run.seed, 9u);
  EXPECT_EQ(options->subject.run.jobs, 3u);
  EXPECT_EQ(options->subject.run.time, milliseconds(120'000));
  EXPECT_EQ(options->subject.program_name, "prog");
  EXPECT_EQ(options->subject.args, (Words{"--", "-q"}));
}

TEST(TestOptions, TheLastValueOfAnOptionCounts) {
  const auto options = parse({"-n", "5", "--runs", "6", "-q", "-q", "p"});
  ASSERT_TRUE(options) << options.problem().text;
  EXPECT_EQ(options->subject.run.runs, 6u);
  EXPECT_TRUE(options->subject.run.quiet);
}

TEST(TestOptions, AnEmptyValueIsNoValue) {
  for (const char* option :
       {"-n", "--runs", "--seed", "--time", "--json", "--out", "--stdin", "--strategy", "--bound-loop"}) {
    const auto options = parse({"-s", "exhaustive", option, "", "p"});
    ASSERT_FALSE(options) << option;
    EXPECT_NE(options.problem().text.find("needs a value"), std::string::npos) << options.problem().text;
  }
}

TEST(TestOptions, ATimeAloneMeansNoLimitOfRuns) {
  EXPECT_EQ(parse({"-t", "1s", "p"})->subject.run.runs, 0u);
  EXPECT_EQ(parse({"p"})->subject.run.runs, 1000u);
  EXPECT_EQ(parse({"-t", "1s", "-n", "7", "p"})->subject.run.runs, 7u);
  EXPECT_EQ(parse({"-s", "exhaustive", "p"})->subject.run.runs, 0u);
  EXPECT_FALSE(parse({"-n", "0", "p"}));
}

TEST(TestOptions, WrongOnesAreWrongUsage) {
  const std::vector<Words> wrong = {{},
                                    {"--bogus", "p"},
                                    {"-n", "abc", "p"},
                                    {"-n"},
                                    {"-s", "nope", "p"},
                                    {"-s", "random:x=1", "p"},
                                    {"-m", "x86", "p"},
                                    {"-j", "0", "p"},
                                    {"--seed", "-1", "p"},
                                    {"--isolation", "none", "p"},
                                    {"--timeout", "soon", "p"},
                                    {"--time", "0", "p"},
                                    {"--max-memory", "much", "p"},
                                    {"--max-events", "0", "p"},
                                    {"--release-sequence", "x", "p"},
                                    {"--stdin", "/does/not/exist", "p"},
                                    {"--keep-going", "p"},
                                    {"--symmetry", "p"},
                                    {"-s", "exhaustive", "-m", "c11", "-j", "2", "p"},
                                    {"-s", "exhaustive", "--keep-going", "--stop-on-bug", "p"},
                                    {"-s", std::string(5000, 'x'), "p"}};
  for (const Words& arguments : wrong) {
    const auto options = parse(arguments);
    ASSERT_FALSE(options) << testing::PrintToString(arguments);
    EXPECT_EQ(options.problem().exit_code, ExitCode::wrong_usage);
    EXPECT_FALSE(options.problem().text.empty());
  }
}

TEST(VerifyOptions, ExploreUnlessToldOtherwise) {
  const auto options = parse_verify({"--bound-loop", "3", "p"});
  ASSERT_TRUE(options) << options.problem().text;
  EXPECT_EQ(options->subject.run.strategy, "exhaustive:loop=3");
  EXPECT_EQ(options->subject.run.runs, 0u);
  EXPECT_TRUE(options->subject.run.stop_on_bug);
  EXPECT_FALSE(parse_verify({"--keep-going", "p"})->subject.run.stop_on_bug);
  EXPECT_EQ(parse_verify({"-s", "exhaustive:values=2", "p"})->subject.run.strategy, "exhaustive:values=2");
}

TEST(VerifyOptions, EndAtTheProgram) {
  const auto options = parse_verify({"./prog", "-s", "5", "--strategy", "pct"});
  ASSERT_TRUE(options) << options.problem().text;
  EXPECT_EQ(options->subject.run.strategy, "exhaustive");
  EXPECT_EQ(options->subject.args, (Words{"-s", "5", "--strategy", "pct"}));
}

TEST(VerifyOptions, ThoseThatMakeNoSenseAreRefusedWithTheReason) {
  const auto problem = [](const Words& arguments) {
    const auto options = parse_verify(arguments);
    return options ? std::string("no problem") : options.problem().text;
  };
  EXPECT_EQ(problem({"-j", "2", "p"}), "no problem");
  EXPECT_EQ(problem({"-j", "2", "-m", "c11", "p"}),
            "the exhaustive search under c11 runs in one process: it does not take --jobs 2");
  EXPECT_EQ(problem({"--isolation=fork", "p"}),
            "heddle verify does not take --isolation: the executions of an exhaustive search share one process");
  EXPECT_EQ(
      problem({"--stop-on-bug", "p"}),
      "heddle verify does not take --stop-on-bug: it stops at the first bug anyway, unless --keep-going is given");
  EXPECT_EQ(
      problem({"--gibberish", "p"}),
      "there is no option --gibberish; 'heddle verify --help' lists the options; a program whose name starts with "
      "a dash is written ./--gibberish");
  EXPECT_NE(problem({"-s", "pct", "p"}).find("write heddle test -s pct"), std::string::npos);
}

TEST(VerifyOptions, HaveAHelpPageWithTheirOptionsOnly) {
  const auto verify = parse_verify({"--help"}), test = parse({"--help"});
  ASSERT_FALSE(verify || test);
  EXPECT_EQ(verify.problem().exit_code, ExitCode::no_bug);
  for (const char* option : {"--isolation", "--stop-on-bug"}) {
    EXPECT_EQ(verify.problem().text.find(option), std::string::npos) << option;
    EXPECT_NE(test.problem().text.find(option), std::string::npos) << option;
  }
  EXPECT_NE(verify.problem().text.find("usage: heddle verify [OPTIONS] PROGRAM"), std::string::npos);
  EXPECT_NE(verify.problem().text.find("--keep-going"), std::string::npos);
}

TEST(Printable, EscapesWhatIsNoText) {
  using report::Controls;
  using report::printable;
  EXPECT_EQ(printable("größe\n\t", Controls::escape), "größe\n\t");
  EXPECT_EQ(printable("\033[31m\x80\xff", Controls::escape), "\\x1b[31m\\x80\\xff");
  EXPECT_EQ(printable("\033\xc3", Controls::keep), "\033\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80\xc0\x80\xf5", Controls::keep), "\\xed\\xa0\\x80\\xc0\\x80\\xf5");
}

}  // namespace
}  // namespace heddle::cli
