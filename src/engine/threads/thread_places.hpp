// Where the memory of a thread lies: its stack, its thread-local storage with its pthread_t, its part of the heap.
//
// A place is a function of the thread's name, so that addresses, handles and thread ids are the same in every process,
// whatever it has executed before and however the threads interleave. There are fewer places than names: threads of one
// execution whose names share a place get the next free ones, in the order of their creation.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/isolation/snapshot.hpp"
#include "engine/threads/program_thread.hpp"

namespace heddle::engine {

class ThreadPlaces {
 public:
  static constexpr std::uint32_t count = Heap::max_slots;
  static constexpr std::uint32_t none = count;
  static constexpr std::size_t stack_size = std::size_t{8} << 20;

  ThreadPlaces(base::Arena& forever, const Modules& modules) : forever_(forever), modules_(modules) {}

  /// The snapshot that watches the memory of the process, if there is one.
  void set_snapshot(Snapshot& snapshot) { snapshot_ = &snapshot; }
  /// Frees all places.
  void begin_execution() { ++execution_; }
  /// Takes a place for the thread until the next execution. Returns `none` if there is none left.
  std::uint32_t take(const ProgramThread& thread);
  /// Gives the thread the stack and the storage of the place. Returns false if the system refuses a kernel thread.
  /// `main_pointer` is the thread pointer of the main thread, which keeps its own storage.
  bool furnish(ProgramThread& thread, std::uint32_t place, std::uintptr_t main_pointer);

  /// Gives the thread-local variables the values that they have in a new thread. Those of the main thread are for the
  /// snapshot.
  void renew_storage(const ProgramThread& thread) const;

  /// The place whose stack holds the address; `count` or more if none does.
  std::uintptr_t place_of_stack(std::uintptr_t address) const {
    return (address - reinterpret_cast<std::uintptr_t>(stacks_)) / stack_size;
  }
  /// Kernel threads that only lend their thread-local storage.
  std::size_t parked_kernel_threads() const { return parked_; }

 private:
  struct Storage {
    pthread_t handle = 0;
    std::uintptr_t thread_pointer = 0;
    const std::byte* initial_tls = nullptr;
  };
  bool try_take(std::uint32_t place);
  void reserve();
  bool park(std::uint32_t place);
  void* static_tls_of(std::uintptr_t thread_pointer) const;

  base::Arena& forever_;
  const Modules& modules_;
  Snapshot* snapshot_ = nullptr;
  std::byte* stacks_ = nullptr;
  std::byte* storages_ = nullptr;
  std::size_t storage_size_ = 0;
  std::size_t parked_ = 0;
  std::uint64_t execution_ = 1;
  std::uint64_t taken_in_[count] = {};  ///< the last execution that took the place
  Storage storage_[count];
};

}  // namespace heddle::engine
