// std::condition_variable: a bounded queue of one, each side waiting for the other with a predicate.
// heddle: clean
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

static std::mutex mutex;
static std::condition_variable filled, emptied;
static std::optional<int> slot;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 3; ++i) {
      std::unique_lock lock(mutex);
      emptied.wait(lock, [] { return !slot.has_value(); });
      slot = i;
      filled.notify_one();
    }
  });
  int sum = 0;
  for (int i = 1; i <= 3; ++i) {
    std::unique_lock lock(mutex);
    while (!slot.has_value()) filled.wait(lock);
    sum += *slot;
    slot.reset();
    lock.unlock();
    emptied.notify_all();
  }
  producer.join();
  assert(sum == 6);
}
