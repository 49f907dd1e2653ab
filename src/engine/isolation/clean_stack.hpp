// Clears memory below the stack pointer, which the next function call would find as it was left.
#pragma once

#include <cstdint>

#include "engine/isolation/modules.hpp"

namespace heddle::engine {

// 999 of 1,000 operations of the runtime use at most 1,032 bytes.
inline constexpr std::size_t operation_stack = 1280;
// PlainMemory::access(), if it is recorded without a closer look.
inline constexpr std::size_t easy_access_stack = 512;

/// Clears the stack below the caller's frame, as far as an operation of the runtime uses it.
template <std::size_t size = operation_stack>
[[gnu::noinline]] void wipe_stack() {
  char used[size];
  __builtin_memset(used, 0, sizeof used);
  asm volatile("" : : "r"(used) : "memory");
}

/// Clears what earlier functions left on this stack, further down than wipe_stack() does. A stack is zero at first and
/// is used from its end, so the first kilobyte that is zero ends the used part.
[[gnu::noinline]] inline void wipe_used_stack(Range stack) {
  using Pair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = std::uint64_t;
  constexpr std::size_t pairs = 64;
  constexpr std::uintptr_t guard = 64 * 1024;
  auto* at = reinterpret_cast<Pair*>(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - 512);
  while (reinterpret_cast<std::uintptr_t>(at - pairs) > stack.begin + guard) {
    at -= pairs;
    Pair any = {};
    for (std::size_t i = 0; i < pairs; i += 4) any |= (at[i] | at[i + 1]) | (at[i + 2] | at[i + 3]);
    if ((any[0] | any[1]) == 0) break;
    __builtin_memset(at, 0, pairs * sizeof(Pair));
    asm volatile("" : : "r"(at) : "memory");
  }
}

}  // namespace heddle::engine
