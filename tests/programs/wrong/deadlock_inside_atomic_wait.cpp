// libstdc++ 12 loses a wake-up: the notifier looks for waiters before its release store is visible to them.
// heddle: finds deadlock
// heddle-runs: 6000
// heddle-options: -s random:switch=0.1
#include <atomic>
#include <thread>

static std::atomic<unsigned char> stage{0};  // too small for a futex: the library's waiter pool

int main() {
  std::thread worker([] {
    stage.store(1, std::memory_order_release);
    stage.notify_all();
  });
  stage.wait(0, std::memory_order_acquire);
  worker.join();
}
