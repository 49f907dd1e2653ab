// Two assertions that only a spurious wake-up of one wait makes fail: one bug.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool begun, done;

int main() {
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    if (!done) changed.wait(lock);
    assert(begun);
    assert(done);
  });
  {
    std::lock_guard lock(mutex);
    begun = true;
  }
  {
    std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  }
  waiter.join();
}
