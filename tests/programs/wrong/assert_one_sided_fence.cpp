// A seq_cst fence on one side only is no use to the other.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x{0}, y{0};

int main() {
  int seen_y = 0;
  std::thread careful([&] {
    x.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    seen_y = y.load(std::memory_order_relaxed);
  });
  y.store(1, std::memory_order_relaxed);
  const int seen_x = x.load(std::memory_order_relaxed);
  careful.join();
  assert(seen_x + seen_y > 0);
}
