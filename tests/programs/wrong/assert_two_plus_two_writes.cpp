// 2+2W: two threads write two locations in opposite orders, and both first writes may end up last.
// heddle: finds assert
// heddle-runs: 20000
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x{0}, y{0};

int main() {
  std::thread left([] {
    x.store(1, std::memory_order_relaxed);
    y.store(2, std::memory_order_relaxed);
  });
  y.store(1, std::memory_order_relaxed);
  x.store(2, std::memory_order_relaxed);
  left.join();
  assert(!(x.load() == 1 && y.load() == 1));
}
