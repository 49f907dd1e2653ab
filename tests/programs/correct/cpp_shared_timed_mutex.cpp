// std::shared_timed_mutex: timed attempts of both kinds, with their time-outs handled.
// heddle: clean
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

static std::shared_timed_mutex mutex;
static int value;

int main() {
  std::thread writer([] {
    if (mutex.try_lock_for(1ms)) {
      ++value;
      mutex.unlock();
    }
  });
  std::thread reader([] {
    std::shared_lock guard(mutex, std::chrono::steady_clock::now() + 1ms);
    if (guard.owns_lock()) assert(value == 0 || value == 1);
  });
  writer.join();
  reader.join();
}
