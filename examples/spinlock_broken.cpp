// A spinlock whose unlock is relaxed: mutual exclusion holds, but what the owner wrote stays behind.
// heddle: finds race
// heddle-also: assert
// heddle-mentions: counter
#include <atomic>
#include <cassert>
#include <thread>

class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) {
      while (taken_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
  }
  void unlock() { taken_.store(false, std::memory_order_relaxed); }  // should be release

 private:
  std::atomic<bool> taken_{false};
};

static SpinLock lock;
static int counter;

int main() {
  auto increment = [] {
    lock.lock();
    ++counter;
    lock.unlock();
  };
  std::thread a(increment), b(increment);
  a.join();
  b.join();
  assert(counter == 2);
}
