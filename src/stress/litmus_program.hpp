// A C program that runs litmus tests on the real machine: the threads as functions, and tables for the harness of
// heddle/stress_litmus.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "litmus/runner.hpp"
#include "litmus/test.hpp"
#include "stress/session.hpp"

namespace heddle::stress {

/// A litmus test with its file, and what the model says of it.
struct LitmusTest {
  std::string file;
  std::string source;  ///< the text of the file
  litmus::Test test;
  litmus::Histogram allowed;  ///< all final states under rc11

  /// A race makes the behaviour undefined, so no state is forbidden.
  bool is_judged() const { return allowed.is_exhaustive && !allowed.has_race && allowed.fault.empty(); }
  std::string why_not_judged() const;
};

/// The functions of the threads of all tests: test number i has the prefix "ti". `with_lines`: with #line directives.
std::string thread_functions(std::span<const LitmusTest> tests, bool with_lines);
/// A whole program.
std::string litmus_program(std::span<const LitmusTest> tests);

/// What one test has shown with one compiler at one level.
struct LitmusResult {
  std::string compiler, level;
  const LitmusTest* test = nullptr;
  std::uint64_t instances = 0;
  double seconds = 0;
  std::map<litmus::State, std::uint64_t> states;
  bool has_all_states = true;  ///< false: there were more states than the harness counts
  std::string failure;         ///< not empty: the program crashed or hung

  std::vector<litmus::State> forbidden() const;  ///< seen, but not allowed
  std::vector<litmus::State> unseen() const;     ///< allowed, but not seen
  bool is_bug() const { return !failure.empty() || !forbidden().empty(); }
  std::string title() const { return compiler + " -" + level; }
};

/// Reads a line of the program's output into the result. False: it is none.
bool parse_states(const std::string& line, LitmusResult& result);

}  // namespace heddle::stress
