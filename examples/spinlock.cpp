// A test-and-test-and-set spinlock: acquire on the exchange that takes it, release on the store that gives it back.
// Heddle says: nothing; a thread that spins is parked until the lock changes hands.
// heddle: clean
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
  void unlock() { taken_.store(false, std::memory_order_release); }

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
