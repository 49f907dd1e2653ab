// The threads of the program: those of the current execution, and the slots that they run in.
//
// A slot belongs to a thread's name, and a name is a function of (parent, spawn index). Slots are made once and serve
// every execution; their number is the thread's id. ThreadPlaces gives a thread its memory.
//
// The table is passive: it does not schedule, and it records no events.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/program_thread.hpp"
#include "engine/threads/thread_places.hpp"

namespace heddle::engine {

class ThreadTable {
 public:
  static constexpr std::uint32_t max_threads = Heap::max_slots;
  using List = base::ArenaVector<ProgramThread*>;

  ThreadTable(base::Arena& forever, base::Arena& execution_arena, const Modules& modules, ExecutionEnd& end)
      : forever_(forever), execution_arena_(execution_arena), end_(end), places_(forever, modules) {}

  /// The snapshot that watches the memory of the process, if there is one.
  void set_snapshot(Snapshot& snapshot) { places_.set_snapshot(snapshot); }

  void configure(const ExecutionPolicy& policy);
  void begin_execution() {
    threads_.forget();
    places_.begin_execution();
    current_ = nullptr;
    alive_ = unjoined_ = 0;
  }

  /// The thread that is running. Only during an execution.
  ProgramThread& current() const { return *current_; }
  bool has_current() const { return current_ != nullptr; }
  void set_current(ProgramThread* thread) { current_ = thread; }

  /// The slot of the main thread.
  ProgramThread& main_slot();
  /// The slot of the current thread's next child.
  ProgramThread& child_slot();
  /// Makes the slot's thread a new thread of this execution: alive, not yet started. `started_at` is the virtual time
  /// that it starts with under ExecutionPolicy::clock_per_thread.
  void begin_thread(ProgramThread& thread, void* (*routine)(void*), void* argument, std::uint64_t started_at);
  void finish(ProgramThread& thread) {
    thread.state = ProgramThread::State::finished;
    --alive_;
  }
  /// A service thread is part of the runtime: the program ends without it.
  void set_service(ProgramThread& thread, bool is_service) {
    if (thread.is_service == is_service) return;
    thread.is_service = is_service;
    alive_ += is_service ? ~0U : 1U;
  }
  void mark_joined(ProgramThread& thread) {
    thread.joined = true;
    --unjoined_;
  }

  /// The threads of this execution, in order of creation.
  const List& threads() const { return threads_; }
  /// All slots, by thread id.
  const List& slots() const { return slots_; }
  ProgramThread& at(graph::ThreadId id) const { return *slots_[graph::number(id)]; }
  ProgramThread* find(pthread_t handle) const;
  /// What has ended the life of the thread, so that its handle must not be used; null: it can be joined or is alive.
  static const char* end_of_life(const ProgramThread& thread) {
    if (thread.joined) return "that was joined before";
    const bool has_ended = thread.state == ProgramThread::State::finished;
    return thread.detached && has_ended ? "that is detached and has ended" : nullptr;
  }
  /// The thread whose stack holds the address, or null.
  ProgramThread* with_stack(std::uintptr_t address) const {
    const std::uintptr_t place = places_.place_of_stack(address);
    return place < max_threads ? by_place_[place] : nullptr;
  }
  /// Whether the address is on the stack of another thread than the current one.
  bool is_on_foreign_stack(std::uintptr_t address) const {
    const ProgramThread* owner = with_stack(address);
    return owner != nullptr && owner != current_;
  }
  /// The thread whose stack's guard page holds the address, or null.
  ProgramThread* with_guard(std::uintptr_t address) const;
  /// The last thread at each place, null if there was none.
  std::span<ProgramThread* const> by_place() const { return by_place_; }
  std::size_t parked_kernel_threads() const { return places_.parked_kernel_threads(); }

  std::uint32_t alive() const { return alive_; }
  /// True if every event of the other threads happens before what the current thread does now: they were all joined.
  bool is_alone() const { return unjoined_ == 1; }

 private:
  ProgramThread& add_slot(std::uint64_t name, const ProgramThread* parent, std::uint32_t spawn_index);

  base::Arena& forever_;
  base::Arena& execution_arena_;
  ExecutionEnd& end_;
  ThreadPlaces places_;
  ProgramThread* by_place_[max_threads] = {};
  ProgramThread* current_ = nullptr;
  List slots_;
  List threads_;
  std::uint32_t alive_ = 0;
  std::uint32_t unjoined_ = 0;
  bool is_search_ = false;  ///< executions use SearchState
};

}  // namespace heddle::engine
