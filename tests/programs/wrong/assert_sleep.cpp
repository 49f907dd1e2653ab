// A long sleep against a short one: the order of the two threads is still not settled.
// heddle: finds assert
// heddle-mentions: the finding needs a sleep of 100 ms to end before a thread that was ready ran
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

static std::atomic<int> ready{0};

int main() {
  std::thread quick([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ready.store(1, std::memory_order_release);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  assert(ready.load(std::memory_order_acquire) == 1);
  quick.join();
}
