// Write-to-read causality: release and acquire carry on what was learnt from a third thread.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static int origin;
static std::atomic<int> x{0}, y{0};

int main() {
  std::thread first([] {
    origin = 1;
    x.store(1, std::memory_order_release);
  });
  std::thread second([] {
    if (x.load(std::memory_order_acquire) == 1) y.store(1, std::memory_order_release);
  });
  std::thread third([] {
    if (y.load(std::memory_order_acquire) == 1) {
      assert(x.load(std::memory_order_relaxed) == 1);
      assert(origin == 1);
    }
  });
  first.join();
  second.join();
  third.join();
}
