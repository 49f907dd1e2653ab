// A wait without a loop: a wake-up does not mean that anything has happened. The report says what it takes.
// heddle: finds assert
// heddle-mentions: spurious wake-up
// heddle-mentions: fix: wait in a loop that looks at the condition
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

int main() {
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    if (!ready) changed.wait(lock);
    assert(ready);
  });
  {
    std::lock_guard guard(mutex);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
}
