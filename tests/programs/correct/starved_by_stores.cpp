// One thread stores for ever, and never reads or yields. Under every strategy, main must come to its end.
// heddle: clean
// heddle-runs: 30
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {
std::atomic<unsigned> count{0};
}

int main() {
  std::thread([] {
    for (unsigned i = 0;; ++i) count.store(i, std::memory_order_relaxed);
  }).detach();
  for (int i = 0; i < 5; ++i) usleep(10);
}
