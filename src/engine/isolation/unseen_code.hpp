// Code of the program that heddle does not see, because it was compiled without instrumentation. A search that has
// explored everything proves nothing about it.
//
//   - A library without instrumentation counts if instrumented code imports something from it, or if it can create
//     threads. The C and C++ libraries, the compiler's and heddle itself are known. Libraries of --trust are trusted.
//   - In a file with instrumentation, a function counts if it does not call the instrumentation and accesses memory
//     other than its own stack and constants. The compilers instrument every such function. Objects without
//     instrumentation in an instrumented program show this way, and so do inline functions and templates of which the
//     linker has taken the copy of such an object. Functions are found by their unwind information.
#pragma once

#include <cstdint>

#include "engine/isolation/modules.hpp"

namespace heddle::engine {

struct UnseenCode {
  const char* path = nullptr;   ///< of the file; null: heddle sees all code
  std::uintptr_t function = 0;  ///< 0: the whole file has no instrumentation
};

UnseenCode find_unseen_code(const Modules& modules);

}  // namespace heddle::engine
