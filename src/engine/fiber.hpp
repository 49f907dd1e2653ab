// A fiber: a stack with a guard page, a context to jump to (Boost.Context), and the thread-local storage it
// borrows from a parked kernel thread. Fibers are made once per thread slot and used in every execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/modules.hpp"

namespace heddle::engine {

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  /// Gives the fiber its stack (the memory must be reserved and may be inaccessible) and thread pointer.
  void prepare(std::byte* stack, std::size_t stack_size, std::uintptr_t thread_pointer);
  bool is_prepared() const { return stack_ != nullptr; }

  /// Makes the next switch to this fiber call entry(argument) on an empty stack; the entry must not return.
  void start(Entry entry, void* argument);

  /// Leaves the running fiber `from` and goes on where `to` was left. Returns when somebody switches back.
  static void switch_between(Fiber& from, Fiber& to);
  /// Leaves for good: the running fiber's stack may be used anew.
  [[noreturn]] static void abandon_for(Fiber& to);

  Range guard() const;
  Range stack() const;
  std::uintptr_t thread_pointer() const { return thread_pointer_; }
  void set_thread_pointer(std::uintptr_t value) { thread_pointer_ = value; }

 private:
  friend void enter_fiber(void* transfer_from, void* data);

  void* context_ = nullptr;
  std::byte* stack_ = nullptr;
  std::size_t stack_size_ = 0;
  std::uintptr_t thread_pointer_ = 0;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
};

}  // namespace heddle::engine
