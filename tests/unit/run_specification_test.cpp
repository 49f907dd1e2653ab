// The table of fields, and its values as text and as heddle_options.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/heddle.hpp"
#include "run/quantities.hpp"
#include "run/values.hpp"

namespace heddle::run {
namespace {

using std::chrono::milliseconds;

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

TEST(Quantities, AreReadBackAsTheyWereWritten) {
  EXPECT_EQ(format_duration(milliseconds(10'000)), "10s");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(format_size(4ULL << 30), "4G");
  for (const int count : {0, 1, 999, 1000, 60'000, 90'000, 7'200'000})
    EXPECT_EQ(parse_duration(format_duration(milliseconds(count))), milliseconds(count)) << count;
  for (const std::uint64_t size : {0ULL, 1ULL, 1024ULL, 1025ULL, 3ULL << 40, ~0ULL})
    EXPECT_EQ(parse_size(format_size(size)), size) << size;
}

constexpr Use every_use[] = {test, verify, litmus, replay, check, trace, json};

TEST(Fields, AnOptionHasAtMostOneRowForEachUse) {
  for (const Use use : every_use) {
    std::set<std::string_view> names;
    for (const Field& field : fields()) {
      if ((field.uses & use) != 0) {
        EXPECT_TRUE(names.insert(field.name).second) << field.name << " for use " << use;
      }
    }
  }
}

TEST(Fields, AreFoundByNameAndByKey) {
  ASSERT_NE(find_field("max-events", test), nullptr);
  EXPECT_EQ(find_field("max_events", test), find_field("max-events", test));
  EXPECT_EQ(key_of(*find_field("max-events", test)), "max_events");
  EXPECT_EQ(find_field("isolation", verify), nullptr);
  EXPECT_EQ(find_field("isolation", test | verify), find_field("isolation", test));
}

TEST(Fields, HaveDefaultsThatDependOnTheCommand) {
  EXPECT_EQ(default_specification(test).strategy, "auto");
  EXPECT_EQ(default_specification(verify).strategy, "exhaustive");
  EXPECT_EQ(default_specification(test).runs, 1000u);
  EXPECT_EQ(default_specification(verify).runs, 0u);
  EXPECT_EQ(default_specification(litmus).runs, 20000u);
  EXPECT_EQ(default_specification(verify).jobs, 1u);
  EXPECT_EQ(default_specification(replay).out, "heddle-out");
  EXPECT_EQ(default_specification(test).timeout, milliseconds(10'000));
}

TEST(Fields, AreReadBackAsTheyWereWritten) {
  for (const Field& field : fields()) {
    if (field.is_parameter()) continue;
    RunSpecification written = default_specification(test);
    if (field.is_text())
      field.member.text(written)->assign("some text");
    else
      field.member.set(written, std::max<std::uint64_t>(1, field.range.least));
    RunSpecification read = default_specification(test);
    EXPECT_EQ(parse_value(field, format_value(field, written), read), std::nullopt) << field.name;
    EXPECT_EQ(read, written) << field.name;
  }
}

TEST(Fields, SayWhatIsWrongWithAValue) {
  RunSpecification run = default_specification(test);
  const auto wrong = [&](const char* name, const std::string& text) {
    return parse_value(*find_field(name, test), text, run).value_or("nothing");
  };
  EXPECT_EQ(wrong("jobs", "0"), "this is not a number from 1 to 1024");
  EXPECT_EQ(wrong("seed", "-1"), "this is not a number: write digits only");
  EXPECT_EQ(wrong("max-events", "0"), "this is not a number above 0: write digits only");
  EXPECT_EQ(wrong("max-memory", "much"), "this is not a size above 0: write 512M or 4G");
  EXPECT_EQ(wrong("timeout", "soon"), "this is not a time: write 500ms, 10s, 2m or 1h");
  EXPECT_EQ(wrong("isolation", "none"), "this is not one of auto, reset, fork");
  EXPECT_EQ(wrong("out", std::string(5000, 'x')), "this is longer than 4095 bytes");
  EXPECT_EQ(run, default_specification(test));
}

TEST(Fields, BoundsBecomeParametersOfTheStrategy) {
  RunSpecification run = default_specification(verify);
  EXPECT_EQ(parse_value(*find_field("bound-loop", verify), "3", run), std::nullopt);
  EXPECT_EQ(parse_value(*find_field("symmetry", verify), "1", run), std::nullopt);
  EXPECT_EQ(run.strategy, "exhaustive:loop=3,symmetry=1");
}

TEST(CheckOptions, AllZeroMeansTheDefaults) {
  RunSpecification run = default_specification(check);
  EXPECT_EQ(read_check_options(heddle_options{}, run), nullptr);
  EXPECT_EQ(run, default_specification(check));
}

TEST(CheckOptions, EveryMemberReachesTheSpecification) {
  heddle_options options{};
  options.model = "sc";
  options.strategy = "pct";
  options.executions = 7;
  options.seconds = 0.0001;
  options.seed = 3;
  options.max_events = 5;
  options.max_memory = 6;
  options.continue_after_bug = 1;
  options.release_sequence_c11 = 1;
  options.full_rmw = 1;
  options.relaxed_volatile = 1;
  options.strict_time = 1;
  options.check_leaks = 1;
  options.any_exit_status = 1;
  options.out = "folder";
  options.timeout = -1;
  RunSpecification run = default_specification(check);
  EXPECT_EQ(read_check_options(options, run), nullptr);
  for (const Field& field : fields()) {
    if ((field.uses & check) == 0) continue;
    EXPECT_NE(format_value(field, run), format_value(field, default_specification(check))) << field.name;
  }
  EXPECT_EQ(run.model, "sc");
  EXPECT_EQ(run.runs, 7u);
  EXPECT_EQ(run.time, milliseconds(1));
  EXPECT_EQ(run.timeout, milliseconds(0));
  EXPECT_TRUE(run.keep_going);
  EXPECT_EQ(run.release_sequence, ReleaseSequence::c11);
  EXPECT_EQ(run.rmw, RmwBarrier::full);
  EXPECT_EQ(run.time_model, TimeModel::strict);
}

TEST(CheckOptions, AValueThatIsTooLongIsNamed) {
  const std::string long_name(5000, 'x');
  heddle_options options{};
  options.strategy = long_name.c_str();
  RunSpecification run = default_specification(check);
  const Field* wrong = read_check_options(options, run);
  ASSERT_NE(wrong, nullptr);
  EXPECT_EQ(wrong->name, "strategy");
}

TEST(CheckOptions, TheDefaultsOfTheCppInterfaceAreThoseOfTheTable) {
  RunSpecification run = default_specification(check);
  EXPECT_EQ(read_check_options(heddle::Options{}.as_c_options(), run), nullptr);
  EXPECT_EQ(run, default_specification(check));
}

}  // namespace
}  // namespace heddle::run
