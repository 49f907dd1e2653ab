// heddle stress: the arithmetic of lost effects, and the driver without processes.
#include <gtest/gtest.h>
#include <heddle/stress.h>

#include "stress/compiler.hpp"
#include "stress/report.hpp"
#include "stress/result.hpp"
#include "stress/subject_cause.hpp"
#include "stress/subject_file.hpp"

namespace heddle::stress {
namespace {

constexpr std::uint64_t bit(int thread) { return std::uint64_t{1} << thread; }

TEST(StressTest, TheSumOfSquaresNamesTheThreadWhoseEffectWasLost) {
  EXPECT_EQ(heddle_stress_lost_added(0, 1 + 4 + 9 + 16, 32, 4), 0U);
  EXPECT_EQ(heddle_stress_lost_added(0, 1 + 9 + 16, 32, 4), bit(2));
  EXPECT_EQ(heddle_stress_lost_added(0, 4, 32, 4), bit(1) | bit(3) | bit(4));
  EXPECT_EQ(heddle_stress_lost_subtracted(100, 100 - 1 - 16, 32, 4), bit(2) | bit(3));
  EXPECT_EQ(heddle_stress_lost_xored(7, 7 ^ 1 ^ 4 ^ 9, 8, 4), bit(4));
}

TEST(StressTest, LostEffectsAreFoundModuloTheSizeOfTheType) {
  EXPECT_EQ(heddle_stress_lost_added(250, static_cast<std::uint8_t>(250 + 1 + 9), 8, 3), bit(2));
  EXPECT_EQ(heddle_stress_lost_subtracted(0, static_cast<std::uint8_t>(0 - 1 - 4), 8, 3), bit(3));
}

TEST(StressTest, AnAmbiguousLossNamesNoThread) {
  // Of six threads, 1 + 4 + 36 = 16 + 25.
  EXPECT_EQ(heddle_stress_lost_added(0, 91 - 41, 32, 6), bit(0));
  EXPECT_EQ(heddle_stress_lost_added(0, 91 - 25, 32, 6), bit(5));  // a single thread before 9 + 16
}

TEST(StressTest, AChainOfAtomicStepsReplacesEveryValueOnce) {
  const std::uint64_t olds[] = {0, 9, 0, 13}, news[] = {0, 10, 9, 14};
  EXPECT_EQ(heddle_stress_broken_chain(0, olds, news, 14, 3), 1U);
  const std::uint64_t right[] = {0, 9, 0, 10}, right_news[] = {0, 10, 9, 19};
  EXPECT_EQ(heddle_stress_broken_chain(0, right, right_news, 19, 3), 0U);
  const std::uint64_t twice[] = {0, 0, 0}, twice_news[] = {0, 1, 4};
  EXPECT_EQ(heddle_stress_broken_chain(0, twice, twice_news, 4, 2), 1U);
}

TEST(StressTest, AResultHasThePapersMetrics) {
  // Figure 5.1 of the paper; the interleaved errors are 10.95 % of the runs.
  const auto result = parse_result(
      R"({"subject":"plain_add/u32","expectation":"broken","threads":4,"cores":8,"order":"same","barrier":"spin","runs":461446,)"
      R"("interleaved":100000,"errors":114836,"interleaved_errors":50510,"lost":[0,1,2,3,4],"seconds":1.5})");
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->is_bug());
  EXPECT_EQ(result->family(), "plain_add");
  EXPECT_NEAR(*result->interleaved_of_runs(), 21.67, 0.01);
  EXPECT_NEAR(*result->errors_of_runs(), 24.89, 0.01);
  EXPECT_NEAR(*result->interleaved_errors_of_runs(), 10.95, 0.01);
  EXPECT_NEAR(*result->interleaved_errors_of_errors(), 43.98, 0.01);
  EXPECT_NEAR(*result->interleaved_errors_of_interleaved(), 50.51, 0.01);
}

TEST(StressTest, OtherOutputOfAProgramIsNoResult) {
  for (const char* line :
       {"", "hello", "[1]", "{}", R"({"subject":"x","interleaved_errors":1})", R"({"subject":1,"actual":1})"}) {
    EXPECT_FALSE(parse_result(line)) << line;
    EXPECT_FALSE(parse_naive(line)) << line;
  }
}

TEST(StressTest, TextWithoutANewlineBeforeAResultIsLeftOut) {
  const auto naive = parse_naive(
      R"(no newline{"subject":"x","expectation":"atomic","threads":2,"expected":4,"actual":22,"seconds":0})");
  ASSERT_TRUE(naive);
  EXPECT_TRUE(naive->is_bug());
  EXPECT_EQ(naive->missing(), -18);
}

TEST(StressTest, TheOperationIsFoundByTheTableOfSubjects) {
  const char* assembly = R"(
	.type	helper, @function
helper:
	lock addl	$1, (%rdi)
	jmp	pthread_mutex_lock@PLT
	.size	helper, .-helper
run:
.LFB1:
	.cfi_startproc
	je	.L2
	call	helper
.L2:
	ret
	.size	run, .-run
reset:
	ret
	.size	reset, .-reset
.LC7:
	.string	"add"
subjects:
	.quad	.LC7
	.long	0
	.zero	4
	.quad	reset
	.quad	run
)";
  const OperationCode code = operation_in(assembly, "add");
  EXPECT_EQ(code.lines, (std::vector<std::string>{"run:", "  je .L2", "  call helper", ".L2:", "  ret", "helper:",
                                                  "  lock addl $1, (%rdi)", "  jmp pthread_mutex_lock@PLT"}));
  EXPECT_EQ(code.calls, std::vector<std::string>{"pthread_mutex_lock"});
  EXPECT_TRUE(operation_in(assembly, "sub").lines.empty());
}

TEST(StressTest, TheCauseIsTheCodeWhereAnotherCodeHasNoError) {
  SubjectCause cause;
  cause.compiler = "gcc";
  cause.levels = {{"gcc", "O0", true, false, 100}, {"gcc", "O1", true, true, 10}};
  cause.first = "O1";
  cause.before = "O0";
  cause.code_first = {{"run:", "  ret"}, {}};
  EXPECT_NE(cause.text().find("errors at -O1, none at -O0; the first level with errors is -O1"), std::string::npos);
  EXPECT_NE(cause.text().find("the operation calls no library: the code of gcc is at fault"), std::string::npos);
  cause.levels[0].has_failed = true;
  cause.code_first.calls = {"lock"};
  cause.libraries = {{"musl-gcc", "O1", true, false, 100}};
  EXPECT_NE(cause.text().find("the operation calls lock: the library is at fault"), std::string::npos) << cause.text();
}

TEST(StressTest, TheCxxCompilerFollowsFromTheNameOfTheCCompiler) {
  EXPECT_EQ(cxx_name("gcc"), "g++");
  EXPECT_EQ(cxx_name("/usr/bin/clang-16"), "/usr/bin/clang++-16");
  EXPECT_EQ(cxx_name("aarch64-linux-gnu-gcc-12"), "aarch64-linux-gnu-g++-12");
  EXPECT_EQ(cxx_name("musl-gcc"), "");
  EXPECT_EQ(cxx_name("tcc"), "");
}

TEST(StressTest, LevelsHaveOrLackTheDash) {
  const auto levels = parse_levels({"O0", "-O2", "Os"});
  ASSERT_TRUE(levels);
  EXPECT_EQ(*levels, (std::vector<std::string>{"O0", "O2", "Os"}));
  EXPECT_FALSE(parse_levels({"O4"}));
  EXPECT_FALSE(parse_levels({"O2;rm"}));
}

TEST(StressTest, AFileIsSkippedOnlyIfNoneOfItsSubjectsCanMatch) {
  SubjectFile file;
  EXPECT_TRUE(file.may_match({"x"}));
  file.prefixes = {"fetch_", "increment"};
  EXPECT_TRUE(file.may_match({}));
  EXPECT_TRUE(file.may_match({"*"}));
  EXPECT_TRUE(file.may_match({"f*"}));
  EXPECT_TRUE(file.may_match({"*/u8"}));
  EXPECT_TRUE(file.may_match({"mutex", "fetch_add/u8/relaxed"}));
  EXPECT_FALSE(file.may_match({"mutex*"}));
  EXPECT_FALSE(file.may_match({"fet"}));
}

TEST(StressTest, TheMatrixTellsBugsFromSubjectsThatAreBrokenOnPurpose) {
  Cell cell;
  cell.compiler = "gcc";
  cell.level = "O2";
  SubjectResult wrong, broken;
  wrong.subject = "fetch_add/u8";
  wrong.runs = broken.runs = 100;
  wrong.errors = broken.errors = 1;
  wrong.interleaved = broken.interleaved = 50;
  broken.subject = "plain_add/u8";
  broken.expectation = Expectation::broken;
  cell.subjects = {wrong, broken};
  const std::string text = matrix_text({cell});
  EXPECT_NE(text.find("FAIL 1/1 1.00% 50%"), std::string::npos) << text;
  EXPECT_NE(text.find("caught 1/1 1.00% 50%"), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::stress
