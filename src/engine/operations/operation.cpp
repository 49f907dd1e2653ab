#include "engine/operations/operation.hpp"

namespace heddle::engine {

const char* describe(Operation operation) {
  switch (operation) {
    case Operation::none: return "nothing";
    case Operation::atomic_load: return "atomic load";
    case Operation::atomic_store: return "atomic store";
    case Operation::atomic_exchange: return "atomic exchange";
    case Operation::atomic_add: return "atomic fetch_add";
    case Operation::atomic_sub: return "atomic fetch_sub";
    case Operation::atomic_and: return "atomic fetch_and";
    case Operation::atomic_or: return "atomic fetch_or";
    case Operation::atomic_xor: return "atomic fetch_xor";
    case Operation::atomic_nand: return "atomic fetch_nand";
    case Operation::compare_exchange: return "atomic compare_exchange";
    case Operation::fence: return "fence";
    case Operation::mutex_lock: return "mutex lock";
    case Operation::mutex_unlock: return "mutex unlock";
    case Operation::spinlock_unlock: return "spinlock unlock";
    case Operation::mutex_timed_lock: return "timed mutex lock";
    case Operation::mutex_try_lock: return "mutex trylock";
    case Operation::read_lock: return "read lock";
    case Operation::write_lock: return "write lock";
    case Operation::rwlock_unlock: return "rwlock unlock";
    case Operation::condition_wait: return "condition wait";
    case Operation::condition_signal: return "condition signal";
    case Operation::barrier_arrive:
    case Operation::barrier_leave: return "barrier";
    case Operation::semaphore_wait: return "semaphore wait";
    case Operation::semaphore_post: return "semaphore post";
    case Operation::once_wait:
    case Operation::once_done: return "one-time initialisation";
    case Operation::futex_wait: return "futex wait";
    case Operation::futex_wake: return "futex wake";
    case Operation::thread_create: return "thread creation";
    case Operation::thread_start: return "thread start";
    case Operation::thread_join: return "thread join";
    case Operation::thread_finish: return "thread end";
    case Operation::yield: return "yield";
    case Operation::sleep: return "sleep";
    case Operation::volatile_read: return "volatile read";
    case Operation::plain_read: return "read";
    case Operation::plain_write: return "write";
    case Operation::preemption: return "loop without a visible operation";
    case Operation::annotation_acquire: return "annotated acquire";
    case Operation::annotation_release: return "annotated release";
    case Operation::any_value: return "choice of a value";
    case Operation::signal_send: return "sending of a signal";
    case Operation::signal_delivery: return "delivery of a signal";
    case Operation::signal_wait: return "wait for a signal";
    case Operation::signal_mask: return "change of the signal mask";
    case Operation::timer: return "timer";
    case Operation::cancellation: return "cancellation";
    case Operation::descriptor_read: return "read from a descriptor";
    case Operation::descriptor_write: return "write to a descriptor";
    case Operation::descriptor_poll: return "wait for descriptors";
  }
  return "operation";
}

}  // namespace heddle::engine
