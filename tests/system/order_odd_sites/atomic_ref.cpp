// std::atomic_ref.
#include <atomic>
#include <thread>

int value, flag;

int main() {
  std::thread giver([] {
    value = 1;
    std::atomic_ref<int>(flag).store(1, std::memory_order_seq_cst);
  });
  std::atomic_ref<int> shared(flag);
  const bool is_wrong = shared.load(std::memory_order_seq_cst) == 1 && value != 1;
  giver.join();
  return is_wrong ? 1 : 0;
}
