// Which call of the program an event stands for: for reports and traces. The numbers are not stored anywhere.
#pragma once

#include <cstdint>

namespace heddle::engine {

enum class Operation : std::uint8_t {
  none,
  atomic_load,
  atomic_store,
  atomic_exchange,
  atomic_add,
  atomic_sub,
  atomic_and,
  atomic_or,
  atomic_xor,
  atomic_nand,
  compare_exchange,
  fence,
  mutex_lock,
  mutex_unlock,
  mutex_timed_lock,
  mutex_try_lock,
  spinlock_unlock,
  read_lock,
  write_lock,
  rwlock_unlock,
  condition_wait,
  condition_signal,
  barrier_arrive,
  barrier_leave,
  semaphore_wait,
  semaphore_post,
  once_wait,
  once_done,
  futex_wait,
  futex_wake,
  thread_create,
  thread_start,
  thread_join,
  thread_finish,
  yield,
  sleep,
  volatile_read,
  plain_read,   ///< that has raced: an event (ExecutionPolicy::racy_sites)
  plain_write,  ///< that has raced
  preemption,
  annotation_acquire,
  annotation_release,
  any_value,
  signal_send,
  signal_delivery,
  signal_wait,
  signal_mask,
  timer,
  cancellation,
  descriptor_read,
  descriptor_write,
  descriptor_poll,
};

/// A plain access that is an event.
constexpr bool is_plain(Operation operation) {
  return operation == Operation::plain_read || operation == Operation::plain_write;
}

/// Whether the call may be one without a memory barrier on x86: see sync_rules.hpp.
constexpr bool may_lack_barrier(Operation operation) {
  return operation == Operation::spinlock_unlock || operation == Operation::condition_signal ||
         operation == Operation::once_wait;
}

/// In words that fit behind "waits for", "blocked in" and the like.
const char* describe(Operation operation);

}  // namespace heddle::engine
