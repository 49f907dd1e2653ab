// A thread waits for a value that another one may overwrite before it is seen.
// heddle: finds livelock
// heddle-runs: 100
#include <atomic>
#include <thread>

static std::atomic<int> stage{0};

int main() {
  std::thread waiter([] {
    while (stage.load() != 1) std::this_thread::yield();
  });
  stage.store(1);
  stage.store(2);
  waiter.join();
}
