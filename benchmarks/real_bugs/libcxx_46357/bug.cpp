// A counting semaphore that wakes one waiter, and only when the count leaves zero.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

class Semaphore {
 public:
  void acquire() {
    while (true) {
      int count = count_.load(std::memory_order_acquire);
      while (count > 0)
        if (count_.compare_exchange_strong(count, count - 1, std::memory_order_acquire, std::memory_order_relaxed))
          return;
      futex_wait(count_, 0);
    }
  }

  void release() {
    if (count_.fetch_add(1, std::memory_order_release) > 0) return;
#ifdef MENDED
    futex_wake_all(count_);
#else
    futex_wake(count_, 1);  // upstream fix: wake all
#endif
  }

 private:
  std::atomic<int> count_{0};
};

int main() {
  Semaphore semaphore;
  std::atomic<int> passed{0};
  auto wait = [&] {
    semaphore.acquire();
    passed.fetch_add(1);
  };
  std::thread first(wait), second(wait);
  semaphore.release();
  semaphore.release();
  first.join();
  second.join();
  assert(passed.load() == 2);
}
