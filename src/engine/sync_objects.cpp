#include "engine/sync_objects.hpp"

#include <cerrno>

#include "base/check.hpp"

namespace heddle::engine {

using graph::EventKind;

// ---- mutexes ------------------------------------------------------------------------------------------------

void SyncObjects::own(SyncObject& mutex) {
  mutex.owner = &threads_.current();
  mutex.depth = 1;
}

void SyncObjects::disown(SyncObject& mutex) {
  mutex.owner = nullptr;
  mutex.depth = 0;
}

int SyncObjects::lock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site, Deadline deadline) {
  SyncObject& mutex = objects_.object(address, SyncKind::mutex);
  const ProgramThread& self = threads_.current();
  if (mutex.owner == &self && kind == MutexKind::error_check) return EDEADLK;
  if (mutex.owner == &self && kind == MutexKind::recursive) {
    ++mutex.depth;
    return 0;
  }
  const Rule rule{deadline ? &mutex_timed_lock : &mutex_lock, number(self.id)};
  if (!executor_->wait_and_perform(mutex, rule, site, deadline).succeeded) return ETIMEDOUT;
  own(mutex);
  return 0;
}

int SyncObjects::try_lock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site) {
  SyncObject& mutex = objects_.object(address, SyncKind::mutex);
  const ProgramThread& self = threads_.current();
  if (mutex.owner == &self && kind == MutexKind::recursive) {
    ++mutex.depth;
    return 0;
  }
  executor_->begin_call(mutex, mutex_try_lock, site);
  const Rule rule{&mutex_try_lock, number(self.id), true};
  if (!executor_->perform(mutex, rule, site).succeeded) return EBUSY;
  own(mutex);
  return 0;
}

int SyncObjects::unlock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site) {
  SyncObject& mutex = objects_.object(address, SyncKind::mutex);
  if (mutex.owner != &threads_.current() && kind != MutexKind::normal) return EPERM;
  if (mutex.depth > 1) {
    --mutex.depth;
    return 0;
  }
  executor_->begin_call(mutex, mutex_unlock, site);
  unlock(mutex, site);
  return 0;
}

void SyncObjects::unlock(SyncObject& mutex, std::uint64_t site) {
  executor_->perform(mutex, {&mutex_unlock}, site);
  disown(mutex);
}

// ---- reader-writer locks ------------------------------------------------------------------------------------

int SyncObjects::share(SyncObject& lock, StepResult result, int error) {
  if (!result.succeeded) return error;
  lock.readers.push_back(execution_arena_, &threads_.current());
  return 0;
}

int SyncObjects::own_rwlock(SyncObject& lock, StepResult result, int error) {
  if (!result.succeeded) return error;
  lock.owner = &threads_.current();
  return 0;
}

int SyncObjects::lock_shared(std::uintptr_t address, std::uint64_t site, Deadline deadline) {
  SyncObject& lock = objects_.object(address, SyncKind::rwlock);
  if (lock.owner == &threads_.current()) return EDEADLK;
  return share(lock, executor_->wait_and_perform(lock, {&rwlock_share}, site, deadline), ETIMEDOUT);
}

int SyncObjects::try_lock_shared(std::uintptr_t address, std::uint64_t site) {
  SyncObject& lock = objects_.object(address, SyncKind::rwlock);
  if (lock.owner == &threads_.current()) return EDEADLK;
  executor_->begin_call(lock, rwlock_share, site);
  return share(lock, executor_->perform(lock, {&rwlock_share, 0, true}, site), EBUSY);
}

int SyncObjects::lock_exclusive(std::uintptr_t address, std::uint64_t site, Deadline deadline) {
  SyncObject& lock = objects_.object(address, SyncKind::rwlock);
  if (lock.owner == &threads_.current()) return EDEADLK;
  return own_rwlock(lock, executor_->wait_and_perform(lock, {&rwlock_own}, site, deadline), ETIMEDOUT);
}

int SyncObjects::try_lock_exclusive(std::uintptr_t address, std::uint64_t site) {
  SyncObject& lock = objects_.object(address, SyncKind::rwlock);
  if (lock.owner == &threads_.current()) return EDEADLK;
  executor_->begin_call(lock, rwlock_own, site);
  return own_rwlock(lock, executor_->perform(lock, {&rwlock_own, 0, true}, site), EBUSY);
}

int SyncObjects::unlock_rwlock(std::uintptr_t address, std::uint64_t site) {
  SyncObject& lock = objects_.object(address, SyncKind::rwlock);
  const ProgramThread& self = threads_.current();
  const bool is_owner = lock.owner == &self;
  const Step& leave = is_owner ? rwlock_leave_exclusive : rwlock_leave_shared;
  executor_->begin_call(lock, leave, site);
  executor_->perform(lock, {&leave}, site);
  if (is_owner) {
    lock.owner = nullptr;
    return 0;
  }
  for (std::size_t i = 0; i < lock.readers.size(); ++i)
    if (lock.readers[i] == &self) {
      lock.readers.erase(i);
      break;
    }
  return 0;
}

// ---- condition variables ------------------------------------------------------------------------------------

int SyncObjects::wait_condition(std::uintptr_t address, std::uintptr_t mutex_address, MutexKind kind,
                                std::uint64_t site, Deadline deadline) {
  SyncObject& condition = objects_.object(address, SyncKind::condition);
  const std::uint32_t self = number(threads_.current().id);
  const bool wakes_spuriously = executor_->draws_spurious_wake_up();
  executor_->begin_call(condition, condition_sleep, site);
  // The thread sleeps before the mutex is free: a signal that another thread sends under the mutex must reach it.
  executor_->perform(condition, {&condition_sleep, self}, site);
  if (wakes_spuriously) condition.state.wake(graph::ThreadId{self});
  SyncObject& mutex = objects_.object(mutex_address, SyncKind::mutex);
  const std::uint32_t depth = mutex.depth;
  unlock(mutex, site);

  const bool woken = executor_->sleep(condition, condition_wake_up, true, site, deadline);
  lock_mutex(mutex_address, MutexKind::normal, site, no_deadline);
  objects_.object(mutex_address, SyncKind::mutex).depth = kind == MutexKind::recursive ? depth : 1;
  return woken ? 0 : ETIMEDOUT;
}

void SyncObjects::signal_condition(std::uintptr_t address, bool all, std::uint64_t site) {
  SyncObject& condition = objects_.object(address, SyncKind::condition);
  executor_->begin_call(condition, condition_wake_one, site);
  executor_->wake(condition, all ? ~0U : 1, condition_wake_one, condition_wake_all, site);
}

// ---- barriers -----------------------------------------------------------------------------------------------

namespace {

BarrierRound* find_round(base::ArenaVector<BarrierRound>& rounds, std::uint64_t number) {
  for (BarrierRound& round : rounds)
    if (round.inside != 0 && round.number == number) return &round;
  return nullptr;
}

bool round_is_complete(const SyncObject& barrier, const ProgramThread& thread) {
  for (const BarrierRound& round : barrier.rounds)
    if (round.inside != 0 && round.number == thread.barrier_round) return round.is_complete;
  HEDDLE_CHECK(false, "a thread waits at a barrier for a round that is over");
  __builtin_unreachable();
}

}  // namespace

/// The round with this number: one that threads are in, or a new one in the storage of one that is over.
BarrierRound& SyncObjects::round(SyncObject& barrier, std::uint64_t number) {
  if (BarrierRound* known = find_round(barrier.rounds, number)) return *known;
  BarrierRound* fresh = nullptr;
  for (BarrierRound& round : barrier.rounds)
    if (round.inside == 0) fresh = &round;
  if (fresh == nullptr) fresh = &barrier.rounds.push_back(execution_arena_, {});
  fresh->number = number;
  fresh->is_complete = false;
  fresh->arrivals.clear();
  return *fresh;
}

void SyncObjects::initialise_barrier(std::uintptr_t address) {
  objects_.forget(address);
  objects_.object(address, SyncKind::barrier);
}

bool SyncObjects::wait_barrier(std::uintptr_t address, std::uint32_t count, std::uint64_t site) {
  SyncObject& barrier = objects_.object(address, SyncKind::barrier);
  executor_->begin_call(barrier, barrier_arrive, site);
  const StepResult arrival = executor_->perform(barrier, {&barrier_arrive, count}, site);
  const bool is_last = barrier_arrived(arrival.before) + 1 >= count;
  const std::uint64_t number = barrier_rounds(arrival.before);
  BarrierRound& own = round(barrier, number);
  ++own.inside;
  executor_->note_arrival(own, arrival.event);
  threads_.current().barrier_round = number;
  if (is_last) {
    own.is_complete = true;
    scheduler_.reconsider(barrier);
  }
  // There is nothing to decide about leaving: like a join, it comes after certain events.
  scheduler_.await(barrier, round_is_complete, EventKind::lock, Operation::barrier_leave, site);
  BarrierRound& completed = round(barrier, number);
  graph::Event& leave = log_.begin_event(EventKind::lock, graph::MemoryOrder::plain, Operation::barrier_leave, site);
  leave.location = barrier.location;
  log_.record_synchronised(leave, completed.arrivals.events());
  --completed.inside;
  return is_last;
}

// ---- semaphores ---------------------------------------------------------------------------------------------

void SyncObjects::initialise_semaphore(std::uintptr_t address, std::uint32_t value) {
  objects_.forget(address);
  objects_.object(address, SyncKind::semaphore).initial = value;
}

SyncObject& SyncObjects::semaphore(std::uintptr_t address, std::uint32_t initial) {
  if (!objects_.knows(address)) initialise_semaphore(address, initial);
  return objects_.object(address, SyncKind::semaphore);
}

int SyncObjects::wait_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site, Deadline deadline) {
  SyncObject& object = semaphore(address, initial);
  const Rule rule{&semaphore_take, object.initial};
  return executor_->wait_and_perform(object, rule, site, deadline).succeeded ? 0 : ETIMEDOUT;
}

int SyncObjects::try_wait_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site) {
  SyncObject& object = semaphore(address, initial);
  executor_->begin_call(object, semaphore_take, site);
  return executor_->perform(object, {&semaphore_take, object.initial, true}, site).succeeded ? 0 : EAGAIN;
}

void SyncObjects::post_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site) {
  SyncObject& object = semaphore(address, initial);
  executor_->begin_call(object, semaphore_post, site);
  executor_->perform(object, {&semaphore_post}, site);
}

std::int64_t SyncObjects::value_of_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site) {
  SyncObject& object = semaphore(address, initial);
  return semaphore_value(executor_->perform(object, {&semaphore_look, 0, true}, site).before, object.initial);
}

// ---- one-time initialisation --------------------------------------------------------------------------------

bool SyncObjects::begin_once(std::uintptr_t address, std::uint64_t site) {
  SyncObject& once = objects_.object(address, SyncKind::once);
  const bool is_first = executor_->wait_and_perform(once, {&once_enter}, site, no_deadline).before == once_untouched;
  if (is_first) once.owner = &threads_.current();
  return is_first;
}

void SyncObjects::finish_once(std::uintptr_t address, bool succeeded, std::uint64_t site) {
  SyncObject& once = objects_.object(address, SyncKind::once);
  executor_->begin_call(once, once_leave, site);
  executor_->perform(once, {&once_leave, succeeded ? once_done : once_untouched}, site);
  once.owner = nullptr;
}

// ---- futexes ------------------------------------------------------------------------------------------------

/// The kernel looks at the futex and puts the thread to sleep under a lock that wakers take too: a waker sees the
/// thread asleep, or the thread sees what the waker wrote before. That takes a memory barrier between the two on both
/// sides, and the C++ library relies on it.
int SyncObjects::wait_futex(std::uintptr_t address, std::uint32_t expected, std::uint64_t site, Deadline deadline) {
  SyncObject& futex = objects_.object(address, SyncKind::futex);
  const std::uint32_t self = number(threads_.current().id);
  executor_->begin_call(futex, futex_sleep, site);
  executor_->perform(futex, {&futex_sleep, self}, site);
  executor_->kernel_barrier(site);
  if (executor_->read_futex(address, site) != expected) {
    executor_->perform(futex, {&futex_wake_up, self, true}, site);
    return EAGAIN;
  }
  if (executor_->draws_spurious_wake_up()) futex.state.wake(graph::ThreadId{self});
  scheduler_.note_progress();
  return executor_->sleep(futex, futex_wake_up, false, site, deadline) ? 0 : ETIMEDOUT;
}

int SyncObjects::wake_futex(std::uintptr_t address, std::uint32_t count, std::uint64_t site) {
  SyncObject& futex = objects_.object(address, SyncKind::futex);
  executor_->begin_call(futex, futex_wake_one, site);
  executor_->kernel_barrier(site);
  return static_cast<int>(executor_->wake(futex, count, futex_wake_one, futex_wake_all, site));
}

// ---- annotations --------------------------------------------------------------------------------------------

void SyncObjects::annotate_acquire(std::uintptr_t address, std::uint64_t site) {
  executor_->perform(objects_.object(address, SyncKind::annotation), {&annotation_acquire, 0, true}, site);
}

void SyncObjects::annotate_release(std::uintptr_t address, std::uint64_t site) {
  executor_->perform(objects_.object(address, SyncKind::annotation), {&annotation_release}, site);
}

}  // namespace heddle::engine
