#include "engine/thread_table.hpp"

#include <sys/mman.h>

#include <cstdio>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "engine/kernel_threads.hpp"
#include "engine/snapshot.hpp"
#include "engine/sync_object.hpp"

namespace heddle::engine {

namespace {

constexpr std::uint64_t main_thread_name = 0x6865646c6d61696eULL;
constexpr std::uintptr_t stacks_address = 0x680000000000;

std::uint64_t rank_of(const ProgramThread& thread) {
  if (thread.parent == nullptr) return 0;
  constexpr std::uint32_t bits = 16, most_levels = 64 / bits;
  const bool fits = thread.parent->rank != ProgramThread::no_rank && thread.depth <= most_levels &&
                    thread.spawn_index < (1U << bits) - 1;
  if (!fits) return ProgramThread::no_rank;
  return thread.parent->rank | std::uint64_t{thread.spawn_index} << (64 - bits * thread.depth);
}

}  // namespace

ProgramThread& ThreadTable::main_slot() { return slot(main_thread_name, nullptr, 0); }

ProgramThread& ThreadTable::child_slot() {
  const std::uint32_t index = ++current_->spawned;
  return slot(base::hash_words(current_->name, index), current_, index);
}

ProgramThread& ThreadTable::slot(std::uint64_t name, const ProgramThread* parent, std::uint32_t spawn_index) {
  for (ProgramThread* thread : slots_)
    if (thread->name == name) return *thread;
  if (slots_.size() == max_threads) end_.unsupported("the program creates more than %u threads", max_threads);
  auto* thread = forever_.create<ProgramThread>();
  thread->id = graph::ThreadId{static_cast<std::uint32_t>(slots_.size())};
  thread->name = name;
  thread->parent = parent;
  thread->spawn_index = spawn_index;
  thread->depth = parent == nullptr ? 0 : parent->depth + 1;
  thread->rank = rank_of(*thread);
  if (parent == nullptr)
    std::snprintf(thread->label, sizeof thread->label, "T0");
  else
    std::snprintf(thread->label, sizeof thread->label, "%.50s.%u", parent->label, spawn_index);
  prepare(*thread);
  slots_.push_back(forever_, thread);
  return *thread;
}

void ThreadTable::prepare(ProgramThread& thread) {
  if (stacks_memory_ == nullptr) {
    stacks_memory_ = static_cast<std::byte*>(::mmap(reinterpret_cast<void*>(stacks_address), max_threads * stack_size,
                                                    PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    HEDDLE_CHECK(stacks_memory_ != MAP_FAILED, "no address space for stacks (ulimit -v?)");
  }
  thread.done = forever_.create<SyncObject>();
  thread.done->kind = SyncKind::thread;
  std::byte* stack = stacks_memory_ + number(thread.id) * stack_size;
  if (number(thread.id) == 0) {  // main keeps the kernel thread that it was born on
    thread.handle = ::pthread_self();
    thread.fiber.prepare(stack, stack_size, end_.root().thread_pointer());
    return;
  }
  // The C library blocks all signals while it creates a thread, and writes to its variables.
  if (snapshot_ != nullptr) snapshot_->begin_lasting_writes();
  const KernelThread kernel = park_new_kernel_thread();
  if (snapshot_ != nullptr) snapshot_->end_lasting_writes();
  if (kernel.handle == 0) end_.unsupported("the system does not allow another thread (%u exist)", number(thread.id));
  thread.handle = kernel.handle;
  thread.fiber.prepare(stack, stack_size, kernel.thread_pointer);
  thread.system_tls = save_system_tls(modules_, kernel.thread_pointer, forever_);
}

void ThreadTable::begin_thread(ProgramThread& thread, void* (*routine)(void*), void* argument,
                               std::uint64_t started_at) {
  static_cast<ThreadState&>(thread) = {};
  static_cast<SearchState&>(thread) = {};
  thread.state = ProgramThread::State::alive;
  thread.now = started_at;
  thread.routine = routine;
  thread.argument = argument;
  thread.calls.clear();
  thread.spin.reset();
  thread.closed_loop.reset();
  thread.waiting_loop.reset();
  thread.done->waiters.clear();
  thread.done->is_done = false;
  if (number(thread.id) != 0) {
    initialise_tls(modules_, thread.fiber.thread_pointer());
    restore_system_tls(modules_, thread.fiber.thread_pointer(), thread.system_tls);
  }
  threads_.push_back(execution_arena_, &thread);
  ++alive_;
  ++unjoined_;
}

ProgramThread* ThreadTable::find(pthread_t handle) const {
  for (ProgramThread* thread : threads_)
    if (thread->handle == handle) return thread;
  return nullptr;
}

ProgramThread* ThreadTable::with_guard(std::uintptr_t address) const {
  for (ProgramThread* thread : threads_)
    if (thread->fiber.guard().contains(address)) return thread;
  return nullptr;
}

}  // namespace heddle::engine
