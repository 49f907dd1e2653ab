#include "engine/primitives/annotated_locks.hpp"

#include "engine/reporting/finding_sink.hpp"

namespace heddle::engine {

void AnnotatedLocks::create(std::uintptr_t address, unsigned flags) {
  objects_.forget_annotation(address);
  objects_.object(address, SyncKind::annotation).initial = flags;
}

void AnnotatedLocks::destroy(std::uintptr_t address, unsigned flags, std::uint64_t site) {
  SyncObject* lock = objects_.find_annotation(address);
  if (lock == nullptr) return;
  const bool is_held = lock->owner != nullptr || !lock->readers.empty();
  if (is_held && ((lock->initial | flags) & linker_init) == 0)
    findings_.report_misuse("a lock is destroyed while it is locked", address, site);
  if (lock->owner != nullptr) held_.remove(*lock, *lock->owner);
  for (ProgramThread* reader : lock->readers) held_.remove(*lock, *reader);
  objects_.forget_annotation(address);
}

void AnnotatedLocks::before_lock(std::uintptr_t address, unsigned flags, std::uint64_t site) {
  const SyncObject* lock = objects_.find_annotation(address);
  if (lock == nullptr || lock->owner != &threads_.current()) return;
  if (((lock->initial | flags) & (write_reentrant | try_lock)) != 0) return;
  findings_.report_misuse("a lock is locked by a thread that holds it already", address, site);
}

void AnnotatedLocks::after_lock(std::uintptr_t address, unsigned flags, std::uint32_t recursion, std::uint64_t site) {
  if ((flags & try_lock_failed) != 0) return;
  sync_.annotate_acquire(address, site);
  SyncObject& lock = objects_.object(address, SyncKind::annotation);
  ProgramThread& self = threads_.current();
  const LockCall call = (flags & try_lock) != 0 ? LockCall::gives_up : LockCall::waits;
  if ((flags & read_lock) != 0) {
    lock.readers.push_back(execution_arena_, &self);
    held_.add(lock, LockMode::shared, call, site);
    return;
  }
  const std::uint32_t times = (flags & recursive_lock) != 0 ? recursion : 1;
  if (lock.owner != &self) {
    lock.depth = 0;
    held_.add(lock, LockMode::exclusive, call, site);
  }
  lock.owner = &self;
  lock.depth += times;
}

std::uint32_t AnnotatedLocks::before_unlock(std::uintptr_t address, unsigned flags, bool may_be_held,
                                            std::uint64_t site) {
  SyncObject& lock = objects_.object(address, SyncKind::annotation);
  std::uint32_t times = 0;
  if ((flags & read_lock) != 0) {
    unlock_shared(lock, may_be_held, site);
  } else if (lock.owner == &threads_.current()) {
    times = (flags & recursive_unlock) != 0 ? lock.depth : 1;
    lock.depth -= times;
    if (lock.depth == 0) {
      held_.remove(lock, *lock.owner);
      lock.owner = nullptr;
    }
  } else if (!may_be_held || lock.owner != nullptr) {
    findings_.report_misuse("a lock is unlocked by a thread that does not hold it", address, site);
  }
  sync_.annotate_release(address, site);
  return (flags & recursive_unlock) != 0 ? times : 0;
}

/// A thread may unlock what another has locked shared: programs pass such locks on.
void AnnotatedLocks::unlock_shared(SyncObject& lock, bool may_be_held, std::uint64_t site) {
  if (lock.readers.empty()) {
    if (!may_be_held) findings_.report_misuse("a lock is unlocked that no thread shares", lock.address, site);
    return;
  }
  std::size_t which = lock.readers.size() - 1;
  for (std::size_t i = 0; i < lock.readers.size(); ++i)
    if (lock.readers[i] == &threads_.current()) which = i;
  held_.remove(lock, *lock.readers[which]);
  lock.readers.erase(which);
}

}  // namespace heddle::engine
