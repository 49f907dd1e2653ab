// Locks, barriers, semaphores, one-time initialisation, annotations. Each operation is one or two events on the
// object; what synchronises with what is spelt out by the releasing events that an acquiring event names.
#include <cerrno>
#include <utility>

#include "engine/engine.hpp"

namespace heddle::engine {

using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;

SyncObject& Engine::object(std::uintptr_t address, SyncKind kind) {
  SyncObject** known = objects_.find(address);
  if (known != nullptr && (*known)->kind == kind) return **known;
  if (known != nullptr) forget_object(address);  // the memory has become something else
  SyncObject* object = nullptr;
  if (free_objects_.empty()) {
    object = execution_arena_.create<SyncObject>();
  } else {
    object = free_objects_.back();
    free_objects_.pop_back();
    object->begin_anew();
  }
  object->kind = kind;
  object->address = address;
  object->location = graph_.add_location(names_.name_of(address), 0, 0);
  objects_.add(address, object);
  races_.cell(address).has_object = true;
  return *object;
}

/// Whoever is in the middle of an operation on it still has it.
void Engine::forget_object(std::uintptr_t address) {
  SyncObject** known = objects_.find(address);
  if (known == nullptr) return;
  graph_.retire((*known)->location);
  retired_objects_.push_back(execution_arena_, *known);
  objects_.remove(address);
}

// ---- mutexes ------------------------------------------------------------------------------------------------

namespace {
bool is_free(const SyncObject& mutex, const ProgramThread&) { return mutex.owner == nullptr; }
}  // namespace

int Engine::lock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site, Deadline deadline) {
  SyncObject& mutex = object(address, SyncKind::mutex);
  if (mutex.owner == current_ && kind == MutexKind::error_check) return EDEADLK;
  if (mutex.owner == current_ && kind == MutexKind::recursive) {
    ++mutex.depth;
    return 0;
  }
  const Operation operation = deadline ? Operation::mutex_timed_lock : Operation::mutex_lock;
  if (limits_.exhaustive) return explore_lock(mutex, operation, static_cast<bool>(deadline), site) ? 0 : ETIMEDOUT;
  if (!await(mutex, is_free, EventKind::lock, operation, site, deadline)) return ETIMEDOUT;
  mutex.owner = current_;
  mutex.depth = 1;
  reconsider(mutex);
  record_sync(EventKind::lock, operation, mutex, mutex.released.events(), site);
  return 0;
}

int Engine::try_lock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site) {
  SyncObject& mutex = object(address, SyncKind::mutex);
  if (mutex.owner == current_ && kind == MutexKind::recursive) {
    ++mutex.depth;
    return 0;
  }
  if (limits_.exhaustive) return explore_lock(mutex, Operation::mutex_try_lock, true, site) ? 0 : EBUSY;
  reach(EventKind::lock, MemoryOrder::plain, Operation::mutex_try_lock, mutex.location, site);
  if (mutex.owner != nullptr) {
    // Trying again and again is a spin loop like any other, but on no memory location: let others go first.
    yield(site);
    return EBUSY;
  }
  mutex.owner = current_;
  mutex.depth = 1;
  reconsider(mutex);
  record_sync(EventKind::lock, Operation::mutex_try_lock, mutex, mutex.released.events(), site);
  return 0;
}

int Engine::unlock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site) {
  SyncObject& mutex = object(address, SyncKind::mutex);
  if (mutex.owner != current_ && kind != MutexKind::normal) return EPERM;
  if (mutex.depth > 1) {
    --mutex.depth;
    return 0;
  }
  if (limits_.exhaustive) {
    explore_unlock(mutex, site);
    return 0;
  }
  reach(EventKind::unlock, MemoryOrder::plain, Operation::mutex_unlock, mutex.location, site);
  mutex.owner = nullptr;
  mutex.depth = 0;
  const EventId event = record_sync(EventKind::unlock, Operation::mutex_unlock, mutex, {}, site);
  mutex.released.clear();  // this unlock comes after the lock that learnt from all others
  mutex.released.add(graph_, execution_arena_, event);
  reconsider(mutex);
  return 0;
}

// ---- reader-writer locks ------------------------------------------------------------------------------------

namespace {
bool can_share(const SyncObject& lock, const ProgramThread&) { return lock.owner == nullptr; }
bool can_own(const SyncObject& lock, const ProgramThread&) { return lock.owner == nullptr && lock.count == 0; }
}  // namespace

int Engine::lock_shared(std::uintptr_t address, std::uint64_t site, Deadline deadline, bool try_only) {
  SyncObject& lock = object(address, SyncKind::rwlock);
  if (lock.owner == current_) return EDEADLK;
  if (limits_.exhaustive) return explore_share(lock, try_only || deadline, site) ? 0 : try_only ? EBUSY : ETIMEDOUT;
  if (try_only) {
    reach(EventKind::lock, MemoryOrder::plain, Operation::read_lock, lock.location, site);
    if (!can_share(lock, *current_)) {
      yield(site);
      return EBUSY;
    }
  } else if (!await(lock, can_share, EventKind::lock, Operation::read_lock, site, deadline)) {
    return ETIMEDOUT;
  }
  ++lock.count;
  lock.readers.push_back(execution_arena_, current_);
  reconsider(lock);
  record_sync(EventKind::lock, Operation::read_lock, lock, lock.released_exclusively.events(), site);
  return 0;
}

int Engine::lock_exclusive(std::uintptr_t address, std::uint64_t site, Deadline deadline, bool try_only) {
  SyncObject& lock = object(address, SyncKind::rwlock);
  if (lock.owner == current_) return EDEADLK;
  if (limits_.exhaustive) return explore_own(lock, try_only || deadline, site) ? 0 : try_only ? EBUSY : ETIMEDOUT;
  if (try_only) {
    reach(EventKind::lock, MemoryOrder::plain, Operation::write_lock, lock.location, site);
    if (!can_own(lock, *current_)) {
      yield(site);
      return EBUSY;
    }
  } else if (!await(lock, can_own, EventKind::lock, Operation::write_lock, site, deadline)) {
    return ETIMEDOUT;
  }
  lock.owner = current_;
  reconsider(lock);
  record_sync(EventKind::lock, Operation::write_lock, lock, lock.released.events(), site);
  return 0;
}

int Engine::unlock_rwlock(std::uintptr_t address, std::uint64_t site) {
  SyncObject& lock = object(address, SyncKind::rwlock);
  if (limits_.exhaustive) {
    explore_leave(lock, site);
    return 0;
  }
  reach(EventKind::unlock, MemoryOrder::plain, Operation::rwlock_unlock, lock.location, site);
  const bool exclusive = lock.owner == current_;
  if (exclusive) {
    lock.owner = nullptr;
  } else if (lock.count > 0) {
    --lock.count;
    for (std::size_t i = 0; i < lock.readers.size(); ++i)
      if (lock.readers[i] == current_) {
        lock.readers.erase(i);
        break;
      }
  }
  const EventId event = record_sync(EventKind::unlock, Operation::rwlock_unlock, lock, {}, site);
  if (exclusive) {
    lock.released.clear();
    lock.released_exclusively.clear();
    lock.released_exclusively.add(graph_, execution_arena_, event);
  }
  lock.released.add(graph_, execution_arena_, event);
  reconsider(lock);
  return 0;
}

// ---- barriers -----------------------------------------------------------------------------------------------

namespace {
bool round_is_over(const SyncObject& barrier, const ProgramThread& thread) {
  return barrier.generation > thread.generation;
}
}  // namespace

void Engine::initialise_barrier(std::uintptr_t address, std::uint32_t count) {
  forget_object(address);
  object(address, SyncKind::barrier).count = count;
}

bool Engine::wait_barrier(std::uintptr_t address, std::uint32_t count, std::uint64_t site) {
  SyncObject& barrier = object(address, SyncKind::barrier);
  barrier.count = count;
  if (limits_.exhaustive) return explore_barrier(barrier, count, site);
  reach(EventKind::unlock, MemoryOrder::plain, Operation::barrier_arrive, barrier.location, site);
  const EventId arrival = record_sync(EventKind::unlock, Operation::barrier_arrive, barrier, {}, site);
  barrier.released.add(graph_, execution_arena_, arrival);
  ProgramThread& self = *current_;
  self.generation = barrier.generation;
  const bool last = ++barrier.arrived >= barrier.count;
  if (last) {
    barrier.arrived = 0;
    ++barrier.generation;
    std::swap(barrier.leaving, barrier.released);
    barrier.released.clear();
    reconsider(barrier);
  }
  await(barrier, round_is_over, EventKind::lock, Operation::barrier_leave, site);
  // A slow thread may leave after the next round has been completed too: then it learns of that one as well,
  // which cannot be, since it takes part in it. So `leaving` is its own round.
  record_sync(EventKind::lock, Operation::barrier_leave, barrier, barrier.leaving.events(), site);
  return last;
}

// ---- semaphores ---------------------------------------------------------------------------------------------

namespace {
bool is_positive(const SyncObject& semaphore, const ProgramThread&) { return semaphore.count > 0; }
}  // namespace

void Engine::initialise_semaphore(std::uintptr_t address, std::uint32_t value) {
  forget_object(address);
  object(address, SyncKind::semaphore).count = value;
}

SyncObject& Engine::semaphore(std::uintptr_t address, std::uint32_t initial) {
  if (objects_.find(address) == nullptr) initialise_semaphore(address, initial);
  return object(address, SyncKind::semaphore);
}

std::int64_t Engine::semaphore_value(std::uintptr_t address, std::uint32_t initial, std::uint64_t site) {
  SyncObject& object = semaphore(address, initial);
  return limits_.exhaustive ? explore_semaphore_value(object, site) : object.count;
}

int Engine::wait_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site, Deadline deadline,
                           bool try_only) {
  SyncObject& semaphore = this->semaphore(address, initial);
  if (limits_.exhaustive)
    return explore_take(semaphore, try_only || deadline, site) ? 0 : try_only ? EAGAIN : ETIMEDOUT;
  if (try_only) {
    reach(EventKind::lock, MemoryOrder::plain, Operation::semaphore_wait, semaphore.location, site);
    if (semaphore.count == 0) {
      yield(site);
      return EAGAIN;
    }
  } else if (!await(semaphore, is_positive, EventKind::lock, Operation::semaphore_wait, site, deadline)) {
    return ETIMEDOUT;
  }
  --semaphore.count;
  reconsider(semaphore);
  record_sync(EventKind::lock, Operation::semaphore_wait, semaphore, semaphore.released.events(), site);
  return 0;
}

void Engine::post_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site) {
  SyncObject& semaphore = this->semaphore(address, initial);
  if (limits_.exhaustive) return explore_post(semaphore, site);
  reach(EventKind::unlock, MemoryOrder::plain, Operation::semaphore_post, semaphore.location, site);
  ++semaphore.count;
  const EventId event = record_sync(EventKind::unlock, Operation::semaphore_post, semaphore, {}, site);
  semaphore.released.add(graph_, execution_arena_, event);
  reconsider(semaphore);
}

// ---- one-time initialisation --------------------------------------------------------------------------------

namespace {
bool is_settled(const SyncObject& once, const ProgramThread&) { return once.done || once.owner == nullptr; }
}  // namespace

bool Engine::begin_once(std::uintptr_t address, std::uint64_t site) {
  SyncObject& once = object(address, SyncKind::once);
  if (limits_.exhaustive) return explore_begin_once(once, site);
  await(once, is_settled, EventKind::lock, Operation::once_wait, site);
  if (!once.done) {
    once.owner = current_;
    reconsider(once);
  }
  record_sync(EventKind::lock, Operation::once_wait, once, once.released.events(), site);
  return !once.done;
}

void Engine::finish_once(std::uintptr_t address, bool succeeded, std::uint64_t site) {
  SyncObject& once = object(address, SyncKind::once);
  if (limits_.exhaustive) return explore_finish_once(once, succeeded, site);
  reach(EventKind::unlock, MemoryOrder::plain, Operation::once_done, once.location, site);
  once.owner = nullptr;
  once.done = succeeded;
  const EventId event = record_sync(EventKind::unlock, Operation::once_done, once, {}, site);
  once.released.add(graph_, execution_arena_, event);
  reconsider(once);
}

// ---- annotations --------------------------------------------------------------------------------------------

void Engine::annotate_acquire(std::uintptr_t address, std::uint64_t site) {
  SyncObject& point = object(address, SyncKind::annotation);
  if (limits_.exhaustive) return explore_annotation(point, false, site);
  record_sync(EventKind::lock, Operation::annotation_acquire, point, point.released.events(), site);
}

void Engine::annotate_release(std::uintptr_t address, std::uint64_t site) {
  SyncObject& point = object(address, SyncKind::annotation);
  if (limits_.exhaustive) return explore_annotation(point, true, site);
  const EventId event = record_sync(EventKind::unlock, Operation::annotation_release, point, {}, site);
  point.released.add(graph_, execution_arena_, event);
}

}  // namespace heddle::engine
