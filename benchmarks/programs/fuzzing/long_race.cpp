// long-race of the thesis: two threads have to change two counters in turns, eight times.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 4000
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<int> sum{0}, difference{0};

int main() {
  std::thread subtracts([] {
    for (int i = 1; i <= 4; ++i)
      if (sum.load(relaxed) == i) difference.fetch_sub(1, relaxed);
  });
  std::thread adds([] {
    sum.fetch_add(1);
    for (int i = 1; i <= 3; ++i) {
      if (difference.load(relaxed) != -i) return;
      sum.fetch_add(1, relaxed);
    }
    assert(difference.load(relaxed) != -4);
  });
  subtracts.join();
  adds.join();
}
