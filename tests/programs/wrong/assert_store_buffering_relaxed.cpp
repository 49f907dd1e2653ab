// Store buffering with relaxed atomics in C++: both threads may read zero.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x{0}, y{0};

int main() {
  int seen_y = 0;
  std::thread left([&] {
    x.store(1, std::memory_order_relaxed);
    seen_y = y.load(std::memory_order_relaxed);
  });
  y.store(1, std::memory_order_relaxed);
  const int seen_x = x.load(std::memory_order_relaxed);
  left.join();
  assert(seen_x + seen_y > 0);
}
