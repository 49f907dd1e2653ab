// Code of the program that heddle does not see, because it was compiled without instrumentation, or because compilers
// do not announce what it does. A search that has explored everything proves nothing about it.
//
//   - A library without instrumentation counts if instrumented code imports something from it, or if it can create
//     threads. The C and C++ libraries, the compiler's and heddle itself are known. Libraries of --trust are trusted.
//   - A function of the C library counts if instrumented code imports it, the runtime does not take it over, and it may
//     access memory of the program (harmless_functions.hpp).
//   - In a file with instrumentation, a function counts if it does not call the instrumentation and accesses memory
//     other than its own stack and constants. The compilers instrument every such function. Objects without
//     instrumentation in an instrumented program show this way, and so do inline functions and templates of which the
//     linker has taken the copy of such an object. Functions are found by their unwind information.
//   - So does a function with an atomic instruction, which only inline assembly can contain: the instrumentation
//     replaces the compiler's own.
//   - gcc does not announce that a struct which a call returns in registers is stored. A function counts if it stores a
//     result in a variable without a call of the instrumentation in between.
//   - So do structs that are passed by value, and plain writes of inline assembly to variables
//     (unannounced_access.hpp).
//   - Some classes of the C++ library are changed by code inside the library only: memory resources, old strings.
#pragma once

#include <cstdint>

#include "engine/isolation/modules.hpp"

namespace heddle::engine {

/// The letters are those of campaign/workers/channel_gaps.cpp.
enum class UnseenReason : char {
  no_instrumentation = 'n',
  assembly = 'a',         ///< with an atomic instruction
  returned_struct = 's',  ///< stored without an announcement
  passed_struct = 'p',    ///< by value, read without an announcement
  variable = 'v',         ///< written without an announcement
  library_call = 'l',     ///< a function of the C library
  library_class = 'c',    ///< of the C++ library
};

struct UnseenCode {
  const char* path = nullptr;   ///< of the file, or the name of a library_call; null: heddle sees all code
  std::uintptr_t function = 0;  ///< 0: the whole file has no instrumentation
  UnseenReason reason = UnseenReason::no_instrumentation;
};

UnseenCode find_unseen_code(const Modules& modules);

}  // namespace heddle::engine
