// Runs litmus tests with every compiler at every level, and compares the final states with those that rc11 allows.
#pragma once

#include "stress/litmus_program.hpp"

namespace heddle::stress {

struct LitmusSettings {
  Settings common;
  std::uint64_t instances = 1'000'000;
};

/// Reads the tests and explores each under rc11. Folders stand for the *.litmus files in them.
Result<std::vector<LitmusTest>> read_litmus_tests(const std::vector<std::string>& paths);

struct LitmusListener {
  std::function<void(const LitmusResult&)> on_result;
  std::function<void(const std::string&)> on_problem;
};

/// The results of all tests with all compilers at all levels.
std::vector<LitmusResult> run_litmus(const LitmusSettings& settings, const std::vector<LitmusTest>& tests,
                                     const LitmusListener& listener);

/// Runs one test at each of the levels again. Returns one result a level; a level that does not compile has none.
std::vector<LitmusResult> run_at_levels(const LitmusSettings& settings, const LitmusTest& test,
                                        const std::string& compiler, const std::vector<std::string>& levels);

}  // namespace heddle::stress
