// P1 of the papers: many writes and one reader, who must not read the last. Depth 1: one communication.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

#ifndef WRITES
#define WRITES 5
#endif

static std::atomic<int> x{0};

int main() {
  std::thread writer([] {
    for (int value = 1; value <= WRITES; ++value) x.store(value, std::memory_order_relaxed);
  });
  std::thread reader([] { assert(x.load(std::memory_order_relaxed) != WRITES); });
  writer.join();
  reader.join();
}
