// Walks the stacks of threads for reports. The instrumentation's own record of calls misses code that it does not
// instrument (the C++ library's std::thread::join, say); the frames themselves do not. A thread that is switched out
// walks its own stack: it is resumed for a moment, inside Scheduler::switch_to, and then switched out again.
#pragma once

#include <cstdint>
#include <span>

#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

class StackWalker {
 public:
  StackWalker(ThreadTable& threads, const Modules& modules) : threads_(threads), modules_(modules) {}

  /// Writes the return addresses of the thread's stack to `out`, innermost first. Returns how many.
  std::size_t walk(ProgramThread& thread, std::span<std::uint64_t> out);
  /// The stack pointer of the program in another thread, which has called into the runtime: what lies below belongs to
  /// no function of the program. 0: it has none.
  std::uintptr_t program_stack_pointer(ProgramThread& thread);
  /// Called by the scheduler when `self` was switched to: another thread may have done so to see its stack.
  [[gnu::always_inline]] void answer_requests(ProgramThread& self) {
    while (asked_by_ != nullptr) [[unlikely]] answer(self);
  }

 private:
  [[gnu::cold, gnu::noinline]] void answer(ProgramThread& self);

  bool resume(ProgramThread& thread);
  std::uintptr_t find_own_stack_pointer() const;

  ThreadTable& threads_;
  const Modules& modules_;
  ProgramThread* asked_by_ = nullptr;  ///< the thread that looks at another thread's stack, if any does
  bool wants_stack_pointer_ = false;   ///< instead of return addresses
  std::uintptr_t stack_pointer_ = 0;
  std::span<std::uint64_t> out_;
  std::size_t count_ = 0;
};

}  // namespace heddle::engine
