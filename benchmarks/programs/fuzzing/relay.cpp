// Two threads hand over STEPS times. Each continues only if it reads what the other one has just written.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 4000
#include <atomic>
#include <cassert>
#include <thread>

#ifndef STEPS
#define STEPS 4
#endif

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<int> to{0}, back{0};

int main() {
  std::thread first([] {
    for (int i = 1; i <= STEPS; ++i) {
      to.store(i, relaxed);
      if (back.load(relaxed) != i) return;
    }
    assert(!"the end of the chain");
  });
  std::thread second([] {
    for (int i = 1; i <= STEPS; ++i)
      if (to.load(relaxed) == i) back.store(i, relaxed);
  });
  first.join();
  second.join();
}
