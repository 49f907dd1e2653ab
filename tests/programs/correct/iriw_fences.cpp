// Independent reads of independent relaxed writes, with a seq_cst fence between the reads: the readers agree.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x{0}, y{0};

static bool saw_only(std::atomic<int>& first, std::atomic<int>& second) {
  const int one = first.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int two = second.load(std::memory_order_relaxed);
  return one == 1 && two == 0;
}

int main() {
  bool only_x = false, only_y = false;
  std::thread a([] { x.store(1, std::memory_order_relaxed); });
  std::thread b([] { y.store(1, std::memory_order_relaxed); });
  std::thread c([&] { only_x = saw_only(x, y); });
  std::thread d([&] { only_y = saw_only(y, x); });
  a.join();
  b.join();
  c.join();
  d.join();
  assert(!(only_x && only_y));
}
