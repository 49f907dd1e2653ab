// A sequence lock: the first of THREADS threads writes a pair ROUNDS times, the others read it. BROKEN: a reader does
// not order its reads before its second look at the sequence.
#include <atomic>
#include <cassert>

#include "threads.hpp"

std::atomic<unsigned> sequence;
std::atomic<int> left, right;

void write(int value) {
  const unsigned before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  left.store(value, std::memory_order_relaxed);
  right.store(value, std::memory_order_relaxed);
  sequence.store(before + 2, std::memory_order_release);
}

void read() {
  for (;;) {
    const unsigned before = sequence.load(std::memory_order_acquire);
    const int first = left.load(std::memory_order_relaxed);
    const int second = right.load(std::memory_order_relaxed);
#ifndef BROKEN
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    const unsigned after = sequence.load(std::memory_order_relaxed);
    if (before % 2 != 0 || before != after) continue;
    assert(first == second);
    return;
  }
}

int main(int argc, char** argv) {
  const int rounds = argument(argc, argv, 2, 1);
  in_threads(argument(argc, argv, 1, 2), [rounds](int self) {
    if (self != 0) return read();
    for (int round = 1; round <= rounds; ++round) write(round);
  });
  return 0;
}
