// heddle: clean
// heddle-runs: 4
// heddle-options: -m pslo -s pct:d=1
// Threads with thousands of relaxed stores, which can all be in their store buffers at once, and loads that may read
// thousands of older values. An execution takes time in proportion to its length.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> counter, progress, table[64];

static void write_all() {
  for (int i = 1; i <= 6000; ++i) {
    counter.store(i, std::memory_order_relaxed);
    table[i % 64].store(i, std::memory_order_relaxed);
    assert(counter.load(std::memory_order_relaxed) == i);
  }
  progress.store(1, std::memory_order_release);
}

static void read_all() {
  int last = 0;
  for (int i = 0; i < 6000; ++i) {
    const int now = counter.load(std::memory_order_relaxed);
    assert(now >= last);
    last = now;
  }
  if (progress.load(std::memory_order_acquire) == 1) assert(counter.load(std::memory_order_relaxed) == 6000);
}

int main() {
  std::thread writer(write_all), reader(read_all);
  writer.join();
  reader.join();
}
