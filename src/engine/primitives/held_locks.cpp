#include "engine/primitives/held_locks.hpp"

#include <cstdio>

#include "engine/primitives/lock_order.hpp"
#include "engine/reporting/finding_sink.hpp"

namespace heddle::engine {

namespace {

const char* name_of(const SyncObject& lock) {
  switch (lock.kind) {
    case SyncKind::rwlock: return "reader-writer lock";
    case SyncKind::annotation: return "lock";
    default: return "mutex";
  }
}

}  // namespace

void HeldLocks::add(SyncObject& lock, LockMode mode, LockCall call, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (self.locks == nullptr) self.locks = execution_arena_.create<ThreadLocks>();
  ThreadLocks& own = *self.locks;
  if (own.on_own_stack != 0) check_frames();
  HeldLock& taken = own.held.add_uninitialised(execution_arena_);
  taken.lock = &lock;
  taken.serial = lock.serial;
  taken.mode = mode;
  taken.stack = self.calls.intern(stacks_);
  taken.site = site;
  taken.depth = 0;
  taken.frame = 0;
  ++count_;
  if (self.fiber.stack().contains(lock.address)) {
    taken.depth = self.calls.depth_of(lock.address, self.fiber.stack().end);
    if (taken.depth != 0) {
      taken.frame = self.calls.frame_at(taken.depth);
      ++own.on_own_stack;
    }
  }
  if (own.held.size() > 1 && call == LockCall::waits) order_.record_nesting(self);
}

void HeldLocks::drop(ThreadLocks& own, std::size_t index) {
  if (own.held[index].frame != 0) --own.on_own_stack;
  own.held.erase(index);
  --count_;
}

void HeldLocks::remove_any(const SyncObject& lock, ThreadLocks& own) {
  for (std::size_t i = own.held.size(); i-- > 0;)
    if (own.held[i].is(lock)) return drop(own, i);
}

bool HeldLocks::holds(const SyncObject& lock) const {
  const ThreadLocks* own = threads_.current().locks;
  if (own == nullptr) return false;
  for (const HeldLock& held : own->held)
    if (held.is(lock)) return true;
  return false;
}

void HeldLocks::report(const HeldLock& held, const char* what, std::uint64_t site, std::uint32_t stack) {
  char message[160];
  std::snprintf(message, sizeof message, what, name_of(*held.lock));
  findings_.report_misuse(message, held.lock->address, site, stack);
}

void HeldLocks::check_memory(Range memory, std::uint64_t site) {
  for (const ProgramThread* thread : threads_.threads()) {
    if (thread->locks == nullptr) continue;
    auto& all = thread->locks->held;
    for (std::size_t i = all.size(); i-- > 0;) {
      const HeldLock held = all[i];
      if (!memory.contains(held.lock->address) || !held.is_alive()) continue;
      report(held, "the memory of a %s is freed while it is locked", site, threads_.current().calls.intern(stacks_));
      drop(*thread->locks, i);
    }
  }
}

void HeldLocks::check_frames() {
  const ProgramThread& self = threads_.current();
  if (self.locks == nullptr) return;
  auto& all = self.locks->held;
  for (std::size_t i = all.size(); i-- > 0;) {
    const HeldLock held = all[i];
    if (held.frame == 0 || self.calls.frame_at(held.depth) == held.frame) continue;
    if (held.is_alive())
      report(held, "a %s is a local variable of a function that returns while it is locked", held.site, held.stack);
    drop(*self.locks, i);
  }
}

void HeldLocks::pass_to_child(ProgramThread& child) { order_.pass_to_child(threads_.current(), child); }
void HeldLocks::take_from_joined(const ProgramThread& joined) { order_.take_from_joined(threads_.current(), joined); }

void HeldLocks::check_end_of_thread() {
  const ProgramThread& self = threads_.current();
  if (self.locks == nullptr || self.locks->held.empty()) return;
  check_frames();
  for (const HeldLock& held : self.locks->held)
    if (held.is_alive()) report(held, "a thread ends while it holds a %s", held.site, held.stack);
}

}  // namespace heddle::engine
