// A counter that a lock protects: if two threads are in the critical section, or the second one does not see what the
// first one did, two increments return the same value.
#pragma once

#include <atomic>

#include "structure.hpp"

template <typename Lock>
class LockedCounter {
 public:
  int increment() {
    typename Lock::Ticket ticket;
    lock_.lock(ticket);
    const int value = value_.load(std::memory_order_relaxed);
    value_.store(value + 1, std::memory_order_relaxed);
    lock_.unlock(ticket);
    return value;
  }
  int get() {
    typename Lock::Ticket ticket;
    lock_.lock(ticket);
    const int value = value_.load(std::memory_order_relaxed);
    lock_.unlock(ticket);
    return value;
  }

 private:
  Lock lock_;
  std::atomic<int> value_{0};
};

template <typename Lock>
int test_lock(const Sizes& sizes) {
  return heddle::linearizable<LockedCounter<Lock>>("counter", heddle::specification::counter())
      .operation("increment", [](auto& counter) { return counter.increment(); })
      .operation("get", [](auto& counter) { return counter.get(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("get")
      .run();
}
