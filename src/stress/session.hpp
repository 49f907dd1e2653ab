// Compiles and runs subjects with every compiler at every level.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stress/result.hpp"
#include "stress/subject_file.hpp"

namespace heddle::stress {

struct Settings {
  std::vector<std::string> compilers, levels;
  std::vector<std::string> flags;   ///< for the compiler
  std::vector<std::string> runner;  ///< a command that runs programs for another machine
  std::vector<std::string> patterns;
  std::uint64_t interleaved = 100'000;
  double seconds = 10;
  unsigned threads = 0;  ///< 0: one for each core, at least two
  std::vector<std::string> orders{"different"};
  std::vector<std::string> barriers{"spin"};
  bool pinned = true;
  std::uint64_t naive = 0;   ///< operations a thread in the naive test; 0: it is not run
  bool until_error = false;  ///< a subject ends with its first error
  std::uint64_t seed = 1;
  std::string include;  ///< the folder that has heddle/stress.h
  std::string folder;   ///< the folder that has heddle's own subjects and the harness
};

/// What a session reports while it runs.
struct Listener {
  std::function<void(const Cell&)> on_cell;                          ///< the cell begins
  std::function<void(const Cell&, const SubjectResult&)> on_result;  ///< a subject has been run
  std::function<void(const std::string&)> on_problem;                ///< a sentence: what could not be done
};

/// One cell for each compiler and level, also for compilers that are not installed: their problems say so.
std::vector<Cell> run_subjects(const Settings& settings, const std::vector<SubjectFile>& files,
                               const Listener& listener);

/// The cores that this process may use.
unsigned usable_cores();

/// "NAME EXPECTATION" of every subject that matches the patterns. Compiles the files.
Result<std::vector<std::string>> list_subjects(const Settings& settings, const std::vector<SubjectFile>& files);

}  // namespace heddle::stress
