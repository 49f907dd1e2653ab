// A sequence lock, with fences: one thread writes a pair, another reads it and repeats that if the writer was active.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

std::atomic<unsigned> sequence;
std::atomic<int> left, right;

void write(int value) {
  const unsigned before = sequence.load(std::memory_order_seq_cst);
  sequence.store(before + 1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  left.store(value, std::memory_order_seq_cst);
  right.store(value, std::memory_order_seq_cst);
  sequence.store(before + 2, std::memory_order_seq_cst);
}

void read() {
  unsigned before, after;
  int first, second;
  do {
    before = sequence.load(std::memory_order_seq_cst);
    first = left.load(std::memory_order_seq_cst);
    second = right.load(std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    after = sequence.load(std::memory_order_seq_cst);
  } while (before % 2 != 0 || before != after);
  assert(first == second);
}

int main(int argc, char** argv) {
  const int writes = argument(argc, argv, 1, 1);
  in_threads(2, [writes](int self) {
    if (self == 1) return read();
    for (int value = 1; value <= writes; ++value) write(value);
  });
  return 0;
}
