// Waiting until somebody says so: condition variables and futexes. Neither orders memory by itself: what a woken
// thread knows comes from the mutex it takes again, or from the atomic it reads again.
#include <cerrno>

#include "engine/engine.hpp"

namespace heddle::engine {

using graph::EventKind;
using graph::MemoryOrder;
using strategies::ChoiceKind;

namespace {
bool was_signalled(const SyncObject&, const ProgramThread& thread) { return thread.signalled; }
}  // namespace

int Engine::wait_condition(std::uintptr_t address, std::uintptr_t mutex, MutexKind kind, std::uint64_t site,
                           Deadline deadline) {
  SyncObject& condition = object(address, SyncKind::condition);
  if (limits_.exhaustive) return explore_wait(condition, object(mutex, SyncKind::mutex), site, deadline);
  ProgramThread& self = *current_;
  const bool wakes_for_no_reason = choose_number(ChoiceKind::spurious, 2) == 1;
  // Whoever signals after the mutex is free must find the thread waiting already.
  self.signalled = wakes_for_no_reason;
  reach(EventKind::unlock, MemoryOrder::plain, Operation::condition_wait, condition.location, site);
  SyncObject& held = object(mutex, SyncKind::mutex);
  const std::uint32_t depth = held.depth;
  held.depth = 1;
  held.owner = nullptr;
  held.released.clear();
  held.released.add(graph_, execution_arena_, record_sync(EventKind::unlock, Operation::mutex_unlock, held, {}, site));
  reconsider(held);

  const bool woken = await(condition, was_signalled, EventKind::lock, Operation::condition_wait, site, deadline);
  record_sync(EventKind::lock, Operation::condition_wait, condition, {}, site);
  lock_mutex(mutex, MutexKind::normal, site, no_deadline);
  object(mutex, SyncKind::mutex).depth = kind == MutexKind::recursive ? depth : 1;
  return woken ? 0 : ETIMEDOUT;
}

void Engine::signal_condition(std::uintptr_t address, bool all, std::uint64_t site) {
  SyncObject& condition = object(address, SyncKind::condition);
  if (limits_.exhaustive) return explore_signal(condition, all, site);
  reach(EventKind::unlock, MemoryOrder::plain, Operation::condition_signal, condition.location, site);
  record_sync(EventKind::unlock, Operation::condition_signal, condition, {}, site);
  wake(condition, all ? ~0U : 1);
}

std::uint32_t Engine::wake(SyncObject& object, std::uint32_t count) {
  std::uint32_t woken = 0;
  for (; woken < count; ++woken) {
    std::uint32_t asleep = 0;
    for (const ProgramThread* waiter : object.waiters) asleep += waiter->signalled ? 0 : 1;
    if (asleep == 0) break;
    // Which one wakes is anybody's guess, unless all do.
    std::uint32_t index = count >= asleep + woken ? 0 : choose_number(ChoiceKind::value, asleep);
    for (ProgramThread* waiter : object.waiters) {
      if (waiter->signalled || index-- != 0) continue;
      waiter->signalled = true;
      break;
    }
  }
  reconsider(object);
  return woken;
}

/// Both sides of a futex pass a full memory barrier in the kernel: between what a waiter did and its look at the futex,
/// and between what a waker did and its look for waiters. The C++ library relies on it.
void Engine::kernel_barrier(std::uint64_t site) {
  begin_event(EventKind::fence, MemoryOrder::seq_cst, Operation::futex_wait, site);
  record();
}

/// The kernel's look at the futex: a read of the newest value.
std::uint32_t Engine::read_futex(std::uintptr_t address, std::uint64_t site) {
  const AtomicAccess access{address, sizeof(std::uint32_t), MemoryOrder::relaxed, site};
  const Located* located = locations_.find(address);
  if (located == nullptr || graph_.location(located->location).size != access.size)
    return *reinterpret_cast<volatile std::uint32_t*>(address);  // not an atomic of the program
  const graph::LocationId location = locate(access);
  graph::Event& event = begin_access(access, EventKind::load, Operation::futex_wait, location);
  event.reads_from = graph_.newest_write(event.location);
  return static_cast<std::uint32_t>(finish_read(access, event));
}

int Engine::wait_futex(std::uintptr_t address, std::uint32_t expected, std::uint64_t site, Deadline deadline) {
  SyncObject& futex = object(address, SyncKind::futex);
  if (limits_.exhaustive) return explore_futex_wait(futex, expected, site, deadline);
  reach(EventKind::lock, MemoryOrder::plain, Operation::futex_wait, futex.location, site);
  kernel_barrier(site);
  if (read_futex(address, site) != expected) return EAGAIN;
  current_->signalled = choose_number(ChoiceKind::spurious, 2) == 1;
  had_effect();
  const bool woken = await(futex, was_signalled, EventKind::lock, Operation::futex_wait, site, deadline);
  return woken ? 0 : ETIMEDOUT;
}

int Engine::wake_futex(std::uintptr_t address, std::uint32_t count, std::uint64_t site) {
  SyncObject& futex = object(address, SyncKind::futex);
  if (limits_.exhaustive) return explore_futex_wake(futex, count, site);
  reach(EventKind::unlock, MemoryOrder::plain, Operation::futex_wake, futex.location, site);
  kernel_barrier(site);
  return static_cast<int>(wake(futex, count));
}

}  // namespace heddle::engine
