// Listing 4.4 of the thesis: two threads have to change two counters in turns, eight times. The program has nine
// executions, as the thesis says, if each test lies inside the one before it.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 4000
#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<std::size_t> sum{0}, dif{0};

int main() {
  std::thread sub_worker([] {
    for (std::size_t i = 1; i <= 4; ++i) {
      if (sum.load(relaxed) != i) return;
      dif.fetch_sub(1, relaxed);
    }
  });
  std::thread add_worker([] {
    sum++;
    for (std::size_t i = 1; i <= 3; ++i) {
      if (dif.load(relaxed) != -i) return;
      sum.fetch_add(1, relaxed);
    }
    assert(dif.load(relaxed) != std::size_t{0} - 4);
  });
  sub_worker.join();
  add_worker.join();
}
