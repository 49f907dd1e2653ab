// A fiber: a stack with a guard page, a context to jump to (engine/isolation/context.hpp), and the thread-local storage
// it borrows from a parked kernel thread. Fibers are made once per thread slot and used in every execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/isolation/context.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/isolation/thread_pointer.hpp"

namespace heddle::engine {

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  /// Gives the fiber its stack (the memory must be reserved and may be inaccessible) and thread pointer.
  void prepare(std::byte* stack, std::size_t stack_size, std::uintptr_t thread_pointer, bool is_executable = false);
  bool is_prepared() const { return stack_ != nullptr; }

  /// Makes the next switch to this fiber call entry(argument) on an empty stack; the entry must not return.
  void start(Entry entry, void* argument);

  /// Suspends the running fiber `from` and resumes `to`. Returns when another fiber switches back.
  [[gnu::always_inline]] static void switch_between(Fiber& from, Fiber& to) {
    Passage passage{&from.context_, &to, from.thread_pointer_};
    arrive(heddle_jump(to.context_, &passage));
  }
  /// Abandons the running fiber and resumes `to`. The abandoned stack may be used anew.
  [[noreturn]] static void abandon_for(Fiber& to) {
    Passage passage{nullptr, &to, engine::thread_pointer()};
    heddle_jump(to.context_, &passage);
    __builtin_unreachable();
  }
  /// The first function that runs on a fiber that was started.
  static void enter(Arrival arrival);

  Range guard() const;
  /// With its guard.
  Range stack() const;
  /// The stack pointer of a fiber that is suspended.
  std::uintptr_t suspended_at() const { return reinterpret_cast<std::uintptr_t>(context_); }
  std::uintptr_t thread_pointer() const { return thread_pointer_; }
  void set_thread_pointer(std::uintptr_t value) { thread_pointer_ = value; }

 private:
  /// What a switch carries over: where to store the context that it left, the fiber that it resumes, and the thread
  /// pointer at the switch.
  struct Passage {
    void** left;
    Fiber* to;
    std::uintptr_t thread_pointer;
  };
  /// The resumed fiber sets its own thread pointer. So main has its own thread-local storage when an execution ends.
  static void arrive(Arrival arrival) {
    const auto* passage = static_cast<Passage*>(arrival.data);
    if (passage->left != nullptr) *passage->left = arrival.from;
    const std::uintptr_t own = passage->to->thread_pointer_;
    if (passage->thread_pointer != own) engine::set_thread_pointer(own);
  }

  void* context_ = nullptr;
  std::byte* stack_ = nullptr;
  std::size_t stack_size_ = 0;
  std::uintptr_t thread_pointer_ = 0;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
};

}  // namespace heddle::engine
