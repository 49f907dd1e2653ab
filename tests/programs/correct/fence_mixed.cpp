// A release fence pairs with an acquire load, and a release store with an acquire fence.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static int a, b;
static std::atomic<bool> a_ready{false}, b_ready{false};

int main() {
  std::thread writer([] {
    a = 1;
    std::atomic_thread_fence(std::memory_order_release);
    a_ready.store(true, std::memory_order_relaxed);
    b = 2;
    b_ready.store(true, std::memory_order_release);
  });
  std::thread reader([] {
    if (a_ready.load(std::memory_order_acquire)) assert(a == 1);
    if (b_ready.load(std::memory_order_relaxed)) {
      std::atomic_thread_fence(std::memory_order_acquire);
      assert(a + b == 3);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
  });
  writer.join();
  reader.join();
}
