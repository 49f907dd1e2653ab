// Compares the assembly of litmus tests over compilers and levels.
#pragma once

#include "stress/assembly_check.hpp"
#include "stress/litmus_session.hpp"

namespace heddle::stress {

struct AssemblyResult {
  std::string compiler, level;
  const LitmusTest* test = nullptr;
  AssemblyCheck check;

  std::string title() const { return compiler + " -" + level; }
};

struct AssemblyListener {
  std::function<void(const AssemblyResult&)> on_result;
  std::function<void(const std::string&)> on_problem;
};

/// Calls the listener for every test with every compiler at every level.
void compare_assembly(const LitmusSettings& settings, const std::vector<LitmusTest>& tests,
                      const AssemblyListener& listener);

/// The assembly of one test; nothing if the compiler is not for x86-64, or the test does not compile.
std::optional<AssemblyCheck> assembly_of(const LitmusSettings& settings, const LitmusTest& test,
                                         const std::string& compiler, const std::string& level);

}  // namespace heddle::stress
