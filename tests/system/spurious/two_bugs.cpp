// Two bugs: a wait without a loop around it, which only a spurious wake-up shows, and a failed assertion that needs a
// rare order of two threads.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;
static std::atomic<int> steps{0};

int main() {
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    if (!ready) changed.wait(lock);
    assert(ready);
  });
  std::thread counter([] {
    for (int i = 0; i < 4; ++i) ++steps;
  });
  {
    std::lock_guard guard(mutex);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
  const bool first = steps.load() == 0, second = steps.load() == 1, third = steps.load() == 2;
  assert(!(first && second && third));
  counter.join();
}
