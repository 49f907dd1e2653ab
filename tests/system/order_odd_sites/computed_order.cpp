// An order that is a variable: a site that passes several orders is not changed.
#include <atomic>
#include <thread>

int value;
std::atomic<bool> is_ready{false};

[[gnu::noinline]] bool look(bool is_last) {
  const std::memory_order order = is_last ? std::memory_order_seq_cst : std::memory_order_acquire;
  return is_ready.load(order);
}

int main() {
  std::thread giver([] {
    value = 1;
    is_ready.store(true, std::memory_order_seq_cst);
  });
  const bool is_wrong = (look(false) || look(true)) && value != 1;
  giver.join();
  return is_wrong ? 1 : 0;
}
