// P1 of the thesis: one thread changes a variable repeatedly, another reads it once, and must not see the last value.
// The number of writes is not printed; with this one, random is as fast as there, under c11.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 1000
#include <atomic>
#include <cassert>
#include <thread>

#ifndef WRITES
#define WRITES 13
#endif

static std::atomic<int> x{0};

int main() {
  std::thread writer([] {
    for (int value = 1; value <= WRITES; ++value) x.store(value);
  });
  std::thread reader([] { assert(x.load() != WRITES); });
  writer.join();
  reader.join();
}
