// A thread that counts for ever never spins and never ends: it runs into --max-events.
// heddle: finds limit
// heddle-mentions: T0.1 made
// heddle-runs: 20
// heddle-options: --max-events 5000
#include <atomic>
#include <thread>

static std::atomic<unsigned> count{0};

int main() {
  std::thread counter([] {
    for (;;) count.fetch_add(1, std::memory_order_relaxed);
  });
  counter.join();
}
