// A macro that expands to two atomic operations on one line.
#include <atomic>
#include <thread>

#define HAND_OVER(first, second) \
  (first).store(true, std::memory_order_seq_cst), (second).store(true, std::memory_order_seq_cst)

int value;
std::atomic<bool> is_ready{false}, is_done{false};

int main() {
  std::thread giver([] {
    value = 1;
    HAND_OVER(is_ready, is_done);
  });
  const bool is_wrong = is_ready.load(std::memory_order_seq_cst) && value != 1;
  giver.join();
  return is_wrong ? 1 : 0;
}
