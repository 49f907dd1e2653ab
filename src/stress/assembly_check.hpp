// Compares a compiled litmus thread with its source: which accesses and barriers are missing, reordered or not atomic,
// and what the x86-64 chip may make of it.
#pragma once

#include "stress/assembly.hpp"
#include "stress/litmus_program.hpp"

namespace heddle::stress {

struct AssemblyFinding {
  std::uint32_t thread = 0;
  bool is_forbidden = true;  ///< false: a transformation that the source orders allow
  std::string text;          ///< a sentence without a full stop
};

struct AssemblyCheck {
  std::vector<CompiledThread> threads;
  std::vector<AssemblyFinding> findings;
  std::vector<std::string> not_judged;       ///< sentences: threads whose code was not understood
  std::vector<litmus::State> states_beyond;  ///< the chip may show these, and rc11 forbids them

  bool is_bug() const;
};

/// `functions` are those of functions_in(); the functions of the test have this prefix.
AssemblyCheck check_assembly(const LitmusTest& test, const std::string& prefix,
                             const std::map<std::string, std::vector<std::string>>& functions);

/// The source of a thread and its assembly, side by side.
std::string side_by_side(const LitmusTest& test, std::uint32_t thread, const CompiledThread& compiled);

}  // namespace heddle::stress
