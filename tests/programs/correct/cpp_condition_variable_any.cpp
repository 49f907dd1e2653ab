// std::condition_variable_any works with a shared_mutex, and its wait ends when a stop is requested.
// heddle: clean
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>

static std::shared_mutex mutex;
static std::condition_variable_any changed;
static int value;

int main() {
  std::thread waiter([] {
    std::shared_lock lock(mutex);
    changed.wait(lock, [] { return value == 1; });
  });
  {
    std::unique_lock lock(mutex);
    value = 1;
  }
  changed.notify_all();
  waiter.join();

  std::jthread never_woken([](std::stop_token token) {
    std::unique_lock lock(mutex);
    const bool seen = changed.wait(lock, token, [] { return value == 2; });
    assert(!seen);
  });
  never_woken.request_stop();
}
