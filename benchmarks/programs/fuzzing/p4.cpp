// Listing 4.2 of the thesis: a read beside three writes, of which two are weak. It has four executions.
// heddle: clean
// heddle-runs: 300
#include <atomic>
#include <thread>

static std::atomic<int> var = {};

int main() {
  std::thread t2([] { (void)var.load(std::memory_order_acquire); });
  std::thread t3([] {
    var.store(1, std::memory_order_seq_cst);
    var.store(2, std::memory_order_release);
    var.store(3, std::memory_order_release);
  });
  t2.join();
  t3.join();
}
