// A spinlock is not recursive, and its owner takes it again.
// heddle: finds livelock
// heddle-runs: 100
#include <atomic>
#include <thread>

static std::atomic<bool> taken{false};

static void lock() {
  while (taken.load(std::memory_order_relaxed) || taken.exchange(true, std::memory_order_acquire)) {
  }
}

int main() {
  std::thread worker([] {
    lock();
    lock();
  });
  worker.join();
}
