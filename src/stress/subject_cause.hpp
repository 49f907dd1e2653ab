// Why a subject fails: at which levels it does, what the compiler made of the operation there, and whether the compiled
// code or the library is at fault.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stress/session.hpp"

namespace heddle::stress {

/// What a compiler made of the operation of a subject.
struct OperationCode {
  std::vector<std::string> lines;  ///< instructions and labels, with those of functions of the same file that it calls
  std::vector<std::string> calls;  ///< functions outside the file
};

/// Finds the operation by the table of subjects in the assembly: the second pointer behind the name. Empty if it is not
/// there.
OperationCode operation_in(const std::string& assembly, const std::string& subject);

/// The results of the subject with one compiler at one level.
struct CauseRun {
  std::string compiler, level;
  bool was_run = false;
  bool has_failed = false;
  std::uint64_t interleaved = 0;
};

struct SubjectCause {
  std::string compiler;
  std::vector<CauseRun> levels;     ///< -O0 to -O3
  std::vector<CauseRun> others;     ///< other compilers at the level of the error, with the same library
  std::vector<CauseRun> libraries;  ///< the same code with another library
  std::string before, first;  ///< the last level without errors below the first one with them; empty: there is none
  OperationCode code_before, code_first;

  std::string text() const;
};

/// Runs the subject, which failed in `cell`, again.
SubjectCause find_cause(const Settings& settings, const Cell& cell, const SubjectResult& failed);

}  // namespace heddle::stress
