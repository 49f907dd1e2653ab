// InnoDB's mutex of MariaDB 5.5: unlocking releases the lock word, then reads whether threads wait. Only a read barrier
// stands between them, so the read may come first.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

constexpr auto relaxed = std::memory_order_relaxed;

class Mutex {
 public:
  void enter() {
    while (lock_word_.exchange(1) != 0) {
      const int seen = signals_.load(std::memory_order_acquire);
      int none = 0;
      waiters_.compare_exchange_strong(none, 1);
      if (lock_word_.exchange(1) == 0) return;
      futex_wait(signals_, seen);
    }
  }

  void leave() {
    lock_word_.store(0, std::memory_order_release);
#ifdef MENDED
    std::atomic_thread_fence(std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_acquire);  // upstream fix: seq_cst
#endif
    if (waiters_.load(relaxed) != 0) {  // upstream fix: that is, a full barrier before this load
      waiters_.store(0, relaxed);
      signals_.fetch_add(1, std::memory_order_release);
      futex_wake_all(signals_);
    }
  }

 private:
  std::atomic<int> lock_word_{0};
  std::atomic<int> waiters_{0};
  std::atomic<int> signals_{0};
};

static Mutex mutex;
static int counter = 0;

static void increment() {
  mutex.enter();
  ++counter;
  mutex.leave();
}

int main() {
  std::thread other([] {
    increment();
    increment();
  });
  increment();
  increment();
  other.join();
  assert(counter == 4);
}
