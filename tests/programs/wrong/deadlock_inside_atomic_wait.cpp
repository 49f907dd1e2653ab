// libstdc++ 12 loses a wake-up: the notifier looks for waiters before its release store is visible to them. The waiter
// reads 17 old values before it sleeps.
// heddle: finds deadlock
#include <atomic>
#include <thread>

static std::atomic<int> stage{0};  // as large as a futex: no counter of changes stands between

int main() {
  std::thread worker([] {
    stage.store(1, std::memory_order_release);
    stage.notify_all();
  });
  stage.wait(0, std::memory_order_acquire);
  worker.join();
}
