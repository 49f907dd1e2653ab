// A reader-writer lock around two counters that must stay equal. If writers take the lock relaxed, they may start from
// old counts: from an old one and a new one, too.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto write_locking = std::memory_order_acquire;
#else
constexpr auto write_locking = std::memory_order_relaxed;
#endif
constexpr auto relaxed = std::memory_order_relaxed;

class RwLock {
 public:
  void read_lock() {
    int now = state_.load(relaxed);
    while (true) {
      if (now != written && state_.compare_exchange_weak(now, now + 1, std::memory_order_acquire, relaxed)) return;
      if (now == written) {
        std::this_thread::yield();
        now = state_.load(relaxed);
      }
    }
  }
  void read_unlock() { state_.fetch_sub(1, std::memory_order_release); }

  void write_lock() {
    int now = 0;
    while (!state_.compare_exchange_weak(now, written, write_locking, relaxed)) {
      now = 0;
      std::this_thread::yield();
    }
  }
  void write_unlock() { state_.store(0, std::memory_order_release); }

 private:
  static constexpr int written = -1;
  std::atomic<int> state_{0};  // readers inside, or `written`
};

static RwLock lock;
static std::atomic<int> first{0}, second{0};

static void work() {
  inserted_writes();
  for (int round = 0; round < 2; ++round) {
    lock.write_lock();
    first.store(first.load(relaxed) + 1, relaxed);
    second.store(second.load(relaxed) + 1, relaxed);
    lock.write_unlock();
    lock.read_lock();
    assert(first.load(relaxed) == second.load(relaxed));
    lock.read_unlock();
  }
}

int main() {
  std::thread one(work), two(work);
  one.join();
  two.join();
}
