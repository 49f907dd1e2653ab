// Fences that hand a value over, and one that nothing needs.
#include <atomic>
#include <thread>

int value;
std::atomic<bool> is_ready{false};

int main() {
  std::thread giver([] {
    value = 1;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    is_ready.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  });
  bool is_wrong = false;
  if (is_ready.load(std::memory_order_relaxed)) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    is_wrong = value != 1;
  }
  giver.join();
  return is_wrong ? 1 : 0;
}
