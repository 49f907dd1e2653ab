// Switching heddle off. A program that was built with heddle then runs as an ordinary program: on the kernel's threads
// and the C library's locks and memory, once. Programs that a build runs need that, and those that a program under test
// starts.
//
// The loader is given another libheddle.so, the passive runtime (src/passive), which lies in the folder
// heddle/passive beside this one.
#pragma once

#include <cstddef>

namespace heddle::abi {

/// Starts this program again with the passive runtime, if the variable HEDDLE_OFF says so.
void switch_off_if_wanted(char** arguments);

/// The environment of a child process: programs that were built with heddle are switched off in it.
class ChildEnvironment {
 public:
  explicit ChildEnvironment(char* const environment[]);
  char* const* entries() const { return entries_; }

 private:
  static constexpr std::size_t most = 8192;
  char* entries_[most + 2];
};

}  // namespace heddle::abi
