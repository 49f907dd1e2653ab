// A reader-writer lock on a counter: PROGRAM READERS WRITERS. A thread takes its share of the counter at once, and
// gives it back if there was not enough. R readers and no writer have (2R)!/2^R executions, W writers W!. SPIN: a
// thread looks at the counter until there is enough, before it tries again. BROKEN: the lock is taken without an
// acquire.
#include <atomic>
#include <cassert>

#include "threads.hpp"

#ifdef BROKEN
constexpr auto take = std::memory_order_relaxed;
#else
constexpr auto take = std::memory_order_acquire;
#endif

class CounterLock {
 public:
  void lock() { acquire(all, all); }
  void unlock() { left_.fetch_add(all, std::memory_order_release); }
  void lock_shared() { acquire(1, 1); }
  void unlock_shared() { left_.fetch_add(1, std::memory_order_release); }

 private:
  static constexpr int all = 1 << 20;

  void acquire(int share, int least) {
    while (left_.fetch_sub(share, take) < least) {
      left_.fetch_add(share, std::memory_order_relaxed);
#ifdef SPIN
      while (left_.load(std::memory_order_relaxed) < least) {
      }
#endif
    }
  }

  std::atomic<int> left_{all};
};

CounterLock the_lock;
int counter;

int main(int argc, char** argv) {
  const int readers = argument(argc, argv, 1, 2), writers = argument(argc, argv, 2, 2);
  in_threads(readers + writers, [readers, writers](int self) {
    if (self < readers) {
      the_lock.lock_shared();
      assert(counter <= writers);
      the_lock.unlock_shared();
    } else {
      the_lock.lock();
      ++counter;
      the_lock.unlock();
    }
  });
  assert(counter == writers);
  return 0;
}
