#include <gtest/gtest.h>

#include "cli/quantities.hpp"
#include "cli/test_options.hpp"
#include "report/text.hpp"

namespace heddle::cli {
namespace {

using std::chrono::milliseconds;
using Words = std::vector<std::string>;

TEST(Quantities, DurationsHaveUnits) {
  EXPECT_EQ(parse_duration("10s"), milliseconds(10'000));
  EXPECT_EQ(parse_duration("2m"), milliseconds(120'000));
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("1h"), milliseconds(3'600'000));
  EXPECT_EQ(parse_duration("3"), milliseconds(3'000));
  EXPECT_EQ(parse_duration("0.5"), milliseconds(500));
  for (const char* wrong : {"", "s", "-1s", "10x", "1 s", "nan", "inf", "1e9h", "99999999999999h", "10ss"}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
}

TEST(Quantities, SizesHaveUnits) {
  EXPECT_EQ(parse_size("4G"), 4ULL << 30);
  EXPECT_EQ(parse_size("512M"), 512ULL << 20);
  EXPECT_EQ(parse_size("64k"), 64ULL << 10);
  EXPECT_EQ(parse_size("2GiB"), 2ULL << 30);
  EXPECT_EQ(parse_size("100"), 100u);
  for (const char* wrong : {"", "G", "4X", "-1", "1.5G", "99999999999999T"}) EXPECT_FALSE(parse_size(wrong)) << wrong;
}

TEST(Quantities, NumbersAreDigitsOnly) {
  EXPECT_EQ(parse_number("18446744073709551615"), ~0ULL);
  for (const char* wrong : {"", "18446744073709551616", "-1", "+1", "1x", "0x10", " 1"}) {
    EXPECT_FALSE(parse_number(wrong)) << wrong;
  }
}

Words environment(const std::string& text) {
  const auto result = arguments_from_environment(text);
  return result ? *result : Words{"problem", result.problem().text};
}

TEST(EnvironmentOptions, AreSeparatedByColonsCommasOrSpaces) {
  EXPECT_EQ(environment("runs=500:strategy=random:seed=3:stop_on_bug=1"),
            (Words{"--runs", "500", "--strategy", "random", "--seed", "3", "--stop-on-bug"}));
  EXPECT_EQ(environment("runs=1,seed=2 quiet=1"), (Words{"--runs", "1", "--seed", "2", "--quiet"}));
  EXPECT_EQ(environment("max-events=7 leaks=0"), (Words{"--max-events", "7"}));
  EXPECT_EQ(environment(""), Words{});
  EXPECT_EQ(environment(" :: "), Words{});
}

TEST(EnvironmentOptions, AStrategyKeepsItsParameters) {
  EXPECT_EQ(environment("strategy=pct:d=3,k=10:seed=4"), (Words{"--strategy", "pct:d=3,k=10", "--seed", "4"}));
  EXPECT_EQ(environment("strategy='a:seed=1' seed=2"), (Words{"--strategy", "a:seed=1", "--seed", "2"}));
}

TEST(EnvironmentOptions, UnknownOnesAreNamed) {
  EXPECT_NE(environment("rums=5")[1].find("there is no option 'rums'"), std::string::npos);
  EXPECT_NE(environment("runs")[1].find("has no value"), std::string::npos);
  EXPECT_NE(environment("quiet=perhaps")[1].find("quiet=1"), std::string::npos);
  EXPECT_NE(environment("strategy=random bogus=1")[1].find("bogus"), std::string::npos);
}

TEST(TestOptions, EndAtTheProgram) {
  const auto options = parse_test_options({"-n", "5", "./prog", "-n", "6", "--bogus", "--", "x"});
  ASSERT_TRUE(options) << options.problem().text;
  EXPECT_EQ(options->settings.end_execution, 5u);
  EXPECT_EQ(options->settings.program_name, "./prog");
  EXPECT_EQ(options->settings.args, (Words{"-n", "6", "--bogus", "--", "x"}));
}

TEST(TestOptions, TakeAllTheFormsOfOptions) {
  const auto options = parse_test_options({"-n5", "--seed=9", "-j", "3", "--time", "2m", "--", "prog", "--", "-q"});
  ASSERT_TRUE(options) << options.problem().text;
  EXPECT_EQ(options->settings.end_execution, 5u);
  EXPECT_EQ(options->settings.seed, 9u);
  EXPECT_EQ(options->settings.jobs, 3u);
  EXPECT_EQ(options->settings.time, milliseconds(120'000));
  EXPECT_EQ(options->settings.program_name, "prog");
  EXPECT_EQ(options->settings.args, (Words{"--", "-q"}));
}

TEST(TestOptions, ATimeAloneMeansNoLimitOfRuns) {
  EXPECT_EQ(parse_test_options({"-t", "1s", "p"})->settings.end_execution, campaign::no_end);
  EXPECT_EQ(parse_test_options({"p"})->settings.end_execution, 1000u);
  EXPECT_FALSE(parse_test_options({"-n", "0", "p"}));
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
                                    {"--max-memory", "much", "p"},
                                    {"--max-events", "0", "p"},
                                    {"--release-sequence", "x", "p"},
                                    {"--stdin", "/does/not/exist", "p"},
                                    {"-s", std::string(300, 'x'), "p"}};
  for (const Words& arguments : wrong) {
    const auto options = parse_test_options(arguments);
    ASSERT_FALSE(options);
    EXPECT_EQ(options.problem().exit_code, ExitCode::wrong_usage);
    EXPECT_FALSE(options.problem().text.empty());
  }
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
