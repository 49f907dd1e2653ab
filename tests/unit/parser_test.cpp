// The litmus format: what is accepted, and how errors name their place.
#include "litmus/parser.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "litmus/enumerator.hpp"

namespace heddle::litmus {

namespace {

std::string error_of(const std::string& text) {
  const auto test = parse_test(text, "t.litmus");
  return test ? "" : test.problem().text;
}

/// The error of a test whose only thread, which begins on line 3, has this body.
std::string error_in_body(const std::string& body) {
  return error_of("C t\n{ x=0; }\nP0 (atomic_int* x) { " + body + " }\nexists (x=0)\n");
}

std::set<State> states(const std::string& text) {
  const auto test = parse_test(text, "t.litmus");
  EXPECT_TRUE(test) << test.problem().text;
  std::array<std::byte, 64> memory{};
  base::Arena arena(memory);
  std::set<State> found;
  if (test)
    enumerate(*test, *models::make_model("rc11", {}, arena),
              [&](const Interpreter& execution) { found.insert(execution.final_state()); });
  return found;
}

}  // namespace

TEST(LitmusParser, ReadsTheWholeFormat) {
  EXPECT_EQ(states(R"(C all of it
"a description"
Generator=somebody (version 1.0)
{ int x = 1; [y]=-2; atomic_int z; 0:r9=4; }
// comments of C
P0 (volatile atomic_int* x, atomic_int* y, int* z) {
  int r9; int r0 = atomic_load(x), r1 = atomic_load_explicit(y, memory_order_relaxed); /* and of
  two lines */
  if (r0 == 1 && !(r1 >= 0)) { *z = r0 + 2 * 3; } else *z = 100;
  atomic_store(x, atomic_fetch_sub(x, 5) - 1);
  int r2 = *(z + (r0 & 128));
  if (r2 != 7 || atomic_exchange(y, 3) == -2) r2 = r2 ^ 1;
}
(* and of herd *)
locations [0:r0; x; y; z; 0:r2; 0:r9;]
forall (0:r0=1 \/ not (x=0) /\ ~(y=5))
)"),
            (std::set<State>{{1, 0, 3, 7, 6, 4}}));
}

TEST(LitmusParser, ValuesWrapAsTheTypeSays) {
  EXPECT_EQ(states("C t\n{ x=2147483647; }\nP0 (atomic_int* x) { int r0 = atomic_fetch_add(x, 1); }\nexists (x=0)"),
            (std::set<State>{{-2147483648LL}}));
}

TEST(LitmusParser, ConditionsQuantify) {
  const auto test = parse_test("C t\n{}\nP0 (atomic_int* x) { atomic_store(x,1); }\n~exists (x=0)", "t");
  ASSERT_TRUE(test) << test.problem().text;
  EXPECT_EQ(test->quantifier, Quantifier::not_exists);
  EXPECT_EQ(test->describe({1}), "[x]=1;");
}

TEST(LitmusParser, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(error_in_body("int r0 = ;"), "t.litmus:3:31: expected an expression, found ';'");
  EXPECT_EQ(error_in_body("\n  atomic_stor(x, 1);"), "t.litmus:4:3: unknown function 'atomic_stor'");
  EXPECT_EQ(error_in_body("int r0 = atomic_load_explicit(x, relaxed);"),
            "t.litmus:3:55: 'relaxed' is not a memory order");
  EXPECT_EQ(error_in_body("r1 = 2;"), "t.litmus:3:22: there is no register 'r1' to assign to");
  EXPECT_EQ(error_in_body("atomic_store(q, 1);"), "t.litmus:3:35: 'q' is not a parameter of this thread");
  EXPECT_EQ(error_in_body("int r0; int r0;"), "t.litmus:3:34: 'r0' is declared twice");
  EXPECT_EQ(error_in_body("while (1) {}"), "t.litmus:3:22: 'while' is not supported in litmus tests");
  EXPECT_EQ(error_in_body("int r0 = $;"), "t.litmus:3:31: unexpected character '$'");
  EXPECT_EQ(error_in_body("atomic_store_explicit(x,1,memory_order_acquire);"),
            "t.litmus:3:22: a store cannot be acquire, consume or acq_rel");
}

TEST(LitmusParser, SaysWhatAWholeFileLacks) {
  EXPECT_EQ(error_of(""), "t.litmus:1:1: a C litmus test begins with the line 'C NAME'");
  EXPECT_EQ(error_of("PPC t\n{}\n"), "t.litmus:1:1: a C litmus test begins with the line 'C NAME'");
  EXPECT_EQ(error_of("C t\nP0 (atomic_int* x) { }\n"),
            "t.litmus:2:1: the initial state is missing: expected a line that begins with '{'");
  EXPECT_EQ(error_of("C t\n{}\nexists (x=0)\n"), "t.litmus:3:1: the test has no threads: expected P0");
  EXPECT_EQ(error_of("C t\n{ x=0; x=1; }\n"), "t.litmus:2:8: 'x' is initialised twice");
  EXPECT_EQ(error_of("C t\n{}\nP1 (atomic_int* x) { }\n"), "t.litmus:3:1: expected thread P0, found 'P1'");
  EXPECT_EQ(error_of("C t\n{}\nP0 (atomic_int* x) { }\nexists (y=0)\n"), "t.litmus:4:9: there is no location 'y'");
  EXPECT_EQ(error_of("C t\n{}\nP0 (atomic_int* x) { }\nexists (7:r0=0)\n"), "t.litmus:4:9: there is no register 7:r0");
  EXPECT_EQ(error_of("C t\n{}\nP0 (atomic_int* x) { }\nexists (x=0\n"),
            "t.litmus:5:1: expected ')', found 'end of file'");
  EXPECT_EQ(error_of("C t\n{}\nP0 (atomic_int* x) { /* \n"), "t.litmus:3:22: this comment does not end");
}

TEST(LitmusParser, RefusesAHundredThreads) {
  std::string text = "C t\n{}\n";
  for (int t = 0; t < 100; ++t) text += "P" + std::to_string(t) + " (atomic_int* x) { atomic_store(x,1); }\n";
  EXPECT_EQ(error_of(text + "exists (x=1)"), "t.litmus:67:1: a test may have at most 64 threads");
}

TEST(LitmusParser, NeverCrashesOnDamagedFiles) {
  const std::string whole =
      "C t\n{ x=0; }\nP0 (atomic_int* x) { int r0 = atomic_load(x); if (r0 == 1) { atomic_store(x, r0 + 1); } }\n"
      "locations [0:r0; x;]\nexists (0:r0=0 /\\ x=0)\n";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    error_of(whole.substr(0, i));
    for (char c : {'\0', '(', '}', ';', '"', '9', '\xff'}) {
      std::string damaged = whole;
      damaged[i] = c;
      error_of(damaged);
    }
  }
  EXPECT_NE(error_of("C t\n{}\nP0 (atomic_int* x) { int r = " + std::string(100000, '(')), "");
  EXPECT_NE(error_of("C t\n{}\nP0 (atomic_int* x) { int r = " + std::string(100000, '-')), "");
  EXPECT_NE(error_of("C t\n{}\nP0 (atomic_int* x) " + std::string(100000, '{')), "");
}

TEST(LitmusInterpreter, AnAddressOutsideEveryLocationIsAFault) {
  const auto test = parse_test("C t\n{}\nP0 (atomic_int* x) { int r0 = atomic_load(x + 1); }\nexists (0:r0=0)", "t");
  ASSERT_TRUE(test);
  std::array<std::byte, 64> memory{};
  base::Arena arena(memory);
  const auto summary = enumerate(*test, *models::make_model("sc", {}, arena), [](const Interpreter&) {});
  EXPECT_EQ(summary.fault, "P0 leaves 'x'");
}

}  // namespace heddle::litmus
