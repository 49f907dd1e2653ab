// The registers that calls preserve, as the program's frame had them when it called an entry point that reads. The
// doors (abi/instrumentation/entry_thunks.cpp) fill this in: once compiled code of ours runs, it may have put other
// values there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::engine {

struct CallerRegisters {
#if defined(__x86_64__)
  std::uint64_t preserved[6];  ///< rbx, rbp, r12 to r15
#else
  std::uint64_t preserved[11];  ///< x19 to x29
#endif
  std::uint64_t stack_pointer;  ///< before the call
  std::uint64_t return_address;
#if defined(__x86_64__)
  std::uint64_t arguments[5];  ///< rdi, rsi, rdx, rcx, r8
  std::uint64_t entry;         ///< the address of the entry point
#endif
};

// The doors know these by number.
#if defined(__x86_64__)
static_assert(offsetof(CallerRegisters, stack_pointer) == 48 && offsetof(CallerRegisters, return_address) == 56);
static_assert(offsetof(CallerRegisters, arguments) == 64 && offsetof(CallerRegisters, entry) == 104);
#else
static_assert(offsetof(CallerRegisters, stack_pointer) == 88 && offsetof(CallerRegisters, return_address) == 96);
#endif

}  // namespace heddle::engine
