#include "engine/threads/thread_table.hpp"

#include <cstdio>

#include "base/hash.hpp"
#include "engine/isolation/snapshot.hpp"
#include "engine/operations/sync_object.hpp"

namespace heddle::engine {

namespace {

constexpr std::uint64_t main_thread_name = 0x6865646c6d61696eULL;

std::uint64_t rank_of(const ProgramThread& thread) {
  if (thread.parent == nullptr) return 0;
  constexpr std::uint32_t bits = 16, most_levels = 64 / bits;
  const bool fits = thread.parent->rank != ProgramThread::no_rank && thread.depth <= most_levels &&
                    thread.spawn_index < (1U << bits) - 1;
  if (!fits) return ProgramThread::no_rank;
  return thread.parent->rank | std::uint64_t{thread.spawn_index} << (64 - bits * thread.depth);
}

}  // namespace

void ThreadTable::configure(const ExecutionPolicy& policy) {
  is_search_ = policy.keeps_objects_in_graph;
  for (ProgramThread* thread : slots_) static_cast<SearchState&>(*thread) = {};
}

ProgramThread& ThreadTable::main_slot() { return slots_.empty() ? add_slot(main_thread_name, nullptr, 0) : *slots_[0]; }

ProgramThread& ThreadTable::child_slot() {
  const std::uint32_t index = ++current_->spawned;
  auto& children = current_->children;
  if (index > children.size())
    children.push_back(forever_, &add_slot(base::hash_words(current_->name, index), current_, index));
  return *children[index - 1];
}

ProgramThread& ThreadTable::add_slot(std::uint64_t name, const ProgramThread* parent, std::uint32_t spawn_index) {
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
  thread->done = forever_.create<SyncObject>();
  thread->done->kind = SyncKind::thread;
  slots_.push_back(forever_, thread);
  return *thread;
}

void ThreadTable::begin_thread(ProgramThread& thread, void* (*routine)(void*), void* argument,
                               std::uint64_t started_at) {
  const std::uint32_t place = places_.take(thread);
  if (place == ThreadPlaces::none) end_.unsupported("the program creates more than %u threads", max_threads);
  if (!places_.furnish(thread, place, end_.root().thread_pointer()))
    end_.unsupported("the system does not allow another thread (%zu exist)", places_.parked_kernel_threads() + 1);
  by_place_[place] = &thread;
  static_cast<StateInExecution&>(thread) = {};
  if (is_search_) static_cast<SearchState&>(thread) = {};
  thread.state = ProgramThread::State::alive;
  thread.now = started_at;
  thread.routine = routine;
  thread.argument = argument;
  thread.calls.clear();
  thread.loops.reset();
  thread.done->waiters.clear();
  thread.done->is_done = false;
  places_.renew_storage(thread);
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
