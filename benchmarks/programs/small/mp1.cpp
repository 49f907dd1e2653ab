// MP1 of the papers: message passing with fences, which is right.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<int> x{0}, y{0};

int main() {
  std::thread sender([] {
    x.store(1, relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    y.store(1, relaxed);
  });
  std::thread receiver([] {
    const int a = y.load(relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    const int b = x.load(relaxed);
    assert(a == 0 || b == 1);
  });
  sender.join();
  receiver.join();
}
