// wait_for and wait_until tell a time-out from a wake-up, and what the predicate says decides.
// heddle: clean
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

int main() {
  std::thread setter([] {
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    const bool seen = changed.wait_for(lock, 1ms, [] { return ready; });
    assert(seen == ready);
  }
  {
    std::unique_lock lock(mutex);
    const auto limit = std::chrono::system_clock::now() + 1ms;
    while (!ready) {
      if (changed.wait_until(lock, limit) == std::cv_status::timeout) break;
    }
  }
  setter.join();
  assert(ready);
}
