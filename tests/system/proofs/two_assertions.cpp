// A wait without a loop around it. A spurious wake-up makes one of two assertions fail.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool begun, done;

int main() {
  std::thread waiter([] {
    std::unique_lock<std::mutex> lock(mutex);
    if (!done) changed.wait(lock);
    assert(begun);
    assert(done);
  });
  {
    std::lock_guard<std::mutex> lock(mutex);
    begun = true;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
    changed.notify_one();
  }
  waiter.join();
}
