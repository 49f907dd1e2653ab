#include "engine/primitives/sync_objects.hpp"

#include <cerrno>

#include "base/check.hpp"

namespace heddle::engine {

using graph::EventKind;

namespace {
LockCall call_of(Deadline deadline) { return deadline ? LockCall::gives_up : LockCall::waits; }
}  // namespace

// ---- mutexes ------------------------------------------------------------------------------------------------

/// The current thread's attempt to lock the mutex has found it in state `before`, not held by another thread.
int SyncObjects::own(SyncObject& mutex, MutexType type, graph::Value before, LockCall call, std::uint64_t site) {
  if ((before & mutex_unrecoverable) != 0) return ENOTRECOVERABLE;
  ProgramThread& self = threads_.current();
  mutex.owner = &self;
  mutex.depth = 1;
  held_.add(mutex, LockMode::exclusive, call, site);
  if (!type.is_robust) return 0;
  mutex.is_robust = true;
  self.robust_mutexes.push_back(execution_arena_, &mutex);
  mutex.is_inconsistent = (before & mutex_inconsistent) != 0;
  return mutex.is_inconsistent ? EOWNERDEAD : 0;
}

void SyncObjects::disown(SyncObject& mutex) {
  if (mutex.is_robust && mutex.owner != nullptr) {
    auto& held = mutex.owner->robust_mutexes;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i] == &mutex) {
        held.erase(i);
        break;
      }
  }
  if (mutex.owner != nullptr) held_.remove(mutex, *mutex.owner);
  mutex.owner = nullptr;
  mutex.depth = 0;
}

int SyncObjects::lock_mutex(std::uintptr_t address, MutexType type, std::uint64_t site, Deadline deadline) {
  SyncObject& mutex = objects_.object(address, SyncKind::mutex);
  const ProgramThread& self = threads_.current();
  if (mutex.owner == &self && type.kind == MutexKind::error_check) return EDEADLK;
  if (mutex.owner == &self && type.kind == MutexKind::recursive) {
    ++mutex.depth;
    return 0;
  }
  const Rule rule{deadline ? &mutex_timed_lock : &mutex_lock, number(self.id)};
  const StepResult result = executor_->wait_and_perform(mutex, rule, site, deadline);
  return result.succeeded ? own(mutex, type, result.before, call_of(deadline), site) : ETIMEDOUT;
}

int SyncObjects::try_lock_mutex(std::uintptr_t address, MutexType type, std::uint64_t site) {
  SyncObject& mutex = objects_.object(address, SyncKind::mutex);
  const ProgramThread& self = threads_.current();
  if (mutex.owner == &self && type.kind == MutexKind::recursive) {
    ++mutex.depth;
    return 0;
  }
  executor_->begin_call(mutex, mutex_try_lock, site);
  const Rule rule{&mutex_try_lock, number(self.id), true};
  const StepResult result = executor_->perform(mutex, rule, site);
  return result.succeeded ? own(mutex, type, result.before, LockCall::gives_up, site) : EBUSY;
}

int SyncObjects::unlock_mutex(std::uintptr_t address, MutexType type, std::uint64_t site) {
  SyncObject& mutex = objects_.object(address, SyncKind::mutex);
  const bool is_owner = mutex.owner == &threads_.current();
  const bool can_tell = type.kind > MutexKind::spinlock || type.is_robust;
  if (!is_owner && can_tell) return EPERM;
  if (mutex.depth > 1) {
    --mutex.depth;
    return 0;
  }
  const Step& step = type.kind == MutexKind::spinlock ? spinlock_unlock : mutex_unlock;
  executor_->begin_call(mutex, step, site);
  unlock(mutex, step, site);
  return is_owner ? 0 : EPERM;
}

bool SyncObjects::holds_mutex(std::uintptr_t address) {
  const SyncObject* mutex = objects_.find(address);
  return mutex != nullptr && mutex->kind == SyncKind::mutex && mutex->owner == &threads_.current();
}

int SyncObjects::mend_mutex(std::uintptr_t address, std::uint64_t site) {
  SyncObject& mutex = objects_.object(address, SyncKind::mutex);
  if (mutex.owner != &threads_.current() || !mutex.is_inconsistent) return EINVAL;
  executor_->perform(mutex, {&mutex_mend}, site);
  mutex.is_inconsistent = false;
  return 0;
}

void SyncObjects::abandon_robust_mutexes() {
  auto& held = threads_.current().robust_mutexes;
  while (!held.empty()) {
    SyncObject& mutex = *held.back();
    executor_->begin_call(mutex, mutex_owner_ends, 0);
    executor_->perform(mutex, {&mutex_owner_ends}, 0);
    disown(mutex);
  }
}

/// Why the current thread's wait has ended without success.
int SyncObjects::error_of_wait() {
  ProgramThread& self = threads_.current();
  if (self.wait_end == WaitEnd::ordinary) return ETIMEDOUT;
  if (self.wait_end == WaitEnd::by_signal) self.wait_end = WaitEnd::ordinary;
  return EINTR;
}

void SyncObjects::unlock(SyncObject& mutex, const Step& step, std::uint64_t site) {
  executor_->perform(mutex, {&step}, site);
  disown(mutex);
}

// ---- reader-writer locks ------------------------------------------------------------------------------------

SyncObject& SyncObjects::rwlock(std::uintptr_t address, RwlockKind kind) {
  SyncObject& lock = objects_.object(address, SyncKind::rwlock);
  lock.prefers_writers = kind == RwlockKind::prefers_writers;
  return lock;
}

int SyncObjects::share(SyncObject& lock, StepResult result, int error, LockCall call, std::uint64_t site) {
  if (!result.succeeded) return error;
  held_.add(lock, LockMode::shared, call, site);
  lock.readers.push_back(execution_arena_, &threads_.current());
  return 0;
}

int SyncObjects::own_rwlock(SyncObject& lock, StepResult result, int error, LockCall call, std::uint64_t site) {
  if (!result.succeeded) return error;
  held_.add(lock, LockMode::exclusive, call, site);
  lock.owner = &threads_.current();
  return 0;
}

int SyncObjects::lock_shared(std::uintptr_t address, RwlockKind kind, std::uint64_t site, Deadline deadline) {
  SyncObject& lock = rwlock(address, kind);
  if (lock.owner == &threads_.current()) return EDEADLK;
  const Step& step = lock.prefers_writers ? rwlock_share_after_writers : rwlock_share;
  const StepResult result = executor_->wait_and_perform(lock, {&step}, site, deadline);
  return share(lock, result, ETIMEDOUT, call_of(deadline), site);
}

int SyncObjects::try_lock_shared(std::uintptr_t address, RwlockKind kind, std::uint64_t site) {
  SyncObject& lock = rwlock(address, kind);
  const Step& step = lock.prefers_writers ? rwlock_share_after_writers : rwlock_share;
  executor_->begin_call(lock, step, site);
  return share(lock, executor_->perform(lock, {&step, 0, true}, site), EBUSY, LockCall::gives_up, site);
}

int SyncObjects::lock_exclusive(std::uintptr_t address, RwlockKind kind, std::uint64_t site, Deadline deadline) {
  SyncObject& lock = rwlock(address, kind);
  if (lock.owner == &threads_.current()) return EDEADLK;
  if (!lock.prefers_writers)
    return own_rwlock(lock, executor_->wait_and_perform(lock, {&rwlock_own}, site, deadline), ETIMEDOUT,
                      call_of(deadline), site);
  executor_->begin_call(lock, rwlock_announce, site);
  executor_->perform(lock, {&rwlock_announce}, site);
  const StepResult result = executor_->wait_and_perform(lock, {&rwlock_own_announced}, site, deadline);
  if (!result.succeeded) executor_->perform(lock, {&rwlock_withdraw}, site);
  return own_rwlock(lock, result, ETIMEDOUT, call_of(deadline), site);
}

int SyncObjects::try_lock_exclusive(std::uintptr_t address, RwlockKind kind, std::uint64_t site) {
  SyncObject& lock = rwlock(address, kind);
  executor_->begin_call(lock, rwlock_own, site);
  return own_rwlock(lock, executor_->perform(lock, {&rwlock_own, 0, true}, site), EBUSY, LockCall::gives_up, site);
}

int SyncObjects::unlock_rwlock(std::uintptr_t address, std::uint64_t site) {
  SyncObject& lock = objects_.object(address, SyncKind::rwlock);
  ProgramThread& self = threads_.current();
  const bool is_owner = lock.owner == &self;
  const Step& leave = is_owner ? rwlock_leave_exclusive : rwlock_leave_shared;
  executor_->begin_call(lock, leave, site);
  executor_->perform(lock, {&leave}, site);
  held_.remove(lock, self);
  if (is_owner) {
    lock.owner = nullptr;
    return 0;
  }
  for (std::size_t i = 0; i < lock.readers.size(); ++i)
    if (lock.readers[i] == &self) {
      lock.readers.erase(i);
      return 0;
    }
  return EPERM;
}

// ---- condition variables ------------------------------------------------------------------------------------

int SyncObjects::wait_condition(std::uintptr_t address, std::uintptr_t mutex_address, MutexType type,
                                std::uint64_t site, Deadline deadline) {
  SyncObject& condition = objects_.object(address, SyncKind::condition);
  const std::uint32_t self = number(threads_.current().id);
  const bool wakes_spuriously = executor_->draws_spurious_wake_up(condition, site);
  executor_->begin_call(condition, condition_sleep, site);
  // The thread sleeps before the mutex is free: a signal that another thread sends under the mutex must reach it.
  executor_->perform(condition, {&condition_sleep, self}, site);
  condition.mutex = mutex_address;
  if (wakes_spuriously) condition.state.wake(graph::ThreadId{self});
  SyncObject& mutex = objects_.object(mutex_address, SyncKind::mutex);
  const std::uint32_t depth = mutex.depth;
  unlock(mutex, mutex_unlock, site);

  const bool woken = executor_->sleep(condition, condition_wake_up, true, site, deadline);
  // A thread that was cancelled has the mutex again before it ends; it cannot be cancelled while it waits for it.
  threads_.current().cancellation.at_point = false;
  if (threads_.current().interrupted) scheduler_.update_interruption();
  const int error = lock_mutex(mutex_address, {MutexKind::normal, type.is_robust}, site, no_deadline);
  objects_.object(mutex_address, SyncKind::mutex).depth = type.kind == MutexKind::recursive ? depth : 1;
  if (error != 0) return error;
  return woken ? 0 : error_of_wait();
}

bool SyncObjects::has_other_mutex(std::uintptr_t address, std::uintptr_t mutex) {
  const SyncObject* condition = objects_.find(address);
  return condition != nullptr && condition->kind == SyncKind::condition && condition->state.sleepers() != 0 &&
         condition->mutex != mutex;
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
    if (round.inside != 0 && round.number == thread.barrier_round) return round.may_be_left_by(thread.id);
  HEDDLE_CHECK(false, "a thread waits at a barrier for a round that has ended");
  __builtin_unreachable();
}

}  // namespace

/// The round with this number: one that threads are in, or a new one in the storage of one that has ended.
BarrierRound& SyncObjects::round(SyncObject& barrier, std::uint64_t number) {
  if (BarrierRound* known = find_round(barrier.rounds, number)) return *known;
  BarrierRound* fresh = nullptr;
  for (BarrierRound& round : barrier.rounds)
    if (round.inside == 0) fresh = &round;
  if (fresh == nullptr) fresh = &barrier.rounds.push_back(execution_arena_, {});
  fresh->number = number;
  fresh->is_complete = false;
  fresh->arrivals.clear();
  fresh->members.clear();
  fresh->chooser = graph::no_thread;
  fresh->serial = graph::no_thread;
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
  executor_->add_arrival(own, arrival.event, site);
  threads_.current().barrier_round = number;
  if (is_last) {
    own.is_complete = true;
    scheduler_.reconsider(barrier);
  }
  // There is nothing to decide about leaving: like a join, it comes after certain events.
  scheduler_.await(barrier, round_is_complete, EventKind::lock, Operation::barrier_leave, site);
  BarrierRound& completed = round(barrier, number);
  const bool is_serial = executor_->is_serial(completed, is_last);
  // Threads that leave later synchronise with the choice of the serial thread.
  const EventKind kind = completed.chooser == graph::no_thread ? EventKind::lock : EventKind::unlock;
  graph::Event& leave = log_.begin_event(kind, graph::MemoryOrder::plain, Operation::barrier_leave, site);
  leave.location = barrier.location;
  const graph::EventId left = log_.record_synchronised(leave, completed.arrivals.events());
  executor_->add_leave(barrier, completed, left);
  --completed.inside;
  return is_serial;
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
  return executor_->wait_and_perform(object, rule, site, deadline).succeeded ? 0 : error_of_wait();
}

int SyncObjects::try_wait_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site) {
  SyncObject& object = semaphore(address, initial);
  executor_->begin_call(object, semaphore_take, site);
  return executor_->perform(object, {&semaphore_take, object.initial, true}, site).succeeded ? 0 : EAGAIN;
}

int SyncObjects::post_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site) {
  SyncObject& object = semaphore(address, initial);
  executor_->begin_call(object, semaphore_post, site);
  const StepResult result = executor_->perform(object, {&semaphore_post, object.initial}, site);
  return semaphore_value(result.before, object.initial) >= greatest_semaphore_value ? EOVERFLOW : 0;
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
  if (executor_->read_futex(futex, site) != expected) {
    executor_->perform(futex, {&futex_wake_up, self, true}, site);
    return EAGAIN;
  }
  if (executor_->draws_spurious_wake_up(futex, site)) futex.state.wake(graph::ThreadId{self});
  scheduler_.mark_progress();
  return executor_->sleep(futex, futex_wake_up, false, site, deadline) ? 0 : error_of_wait();
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

// ---- the life of objects ------------------------------------------------------------------------------------

bool SyncObjects::is_in_use(std::uintptr_t address) {
  const SyncObject* object = objects_.find(address);
  if (object == nullptr) return false;
  for (const BarrierRound& round : object->rounds)
    if (round.inside != 0 && !round.is_complete) return true;
  const bool has_sleepers = object->kind == SyncKind::condition && object->state.sleepers() != 0;
  return has_sleepers || object->owner != nullptr || !object->readers.empty();
}

}  // namespace heddle::engine
