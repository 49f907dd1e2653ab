// The reader waits for 1, and 2 may come after it in modification order: then it waits for ever.
#include <atomic>
#include <thread>

std::atomic<int> flag;

int main() {
  std::thread one([] { flag.store(1, std::memory_order_relaxed); });
  std::thread two([] { flag.store(2, std::memory_order_relaxed); });
  one.join();
  two.join();
  while (flag.load(std::memory_order_relaxed) != 1) {
  }
}
