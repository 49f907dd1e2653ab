// The tree barrier of Mellor-Crummey and Scott, one level deep: the children tell thread 0 that they have arrived, and
// thread 0 opens the barrier of each of them. Values are numbers of rounds: PROGRAM [ROUNDS [THREADS]].
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

std::atomic<int> arrived[most_threads];
std::atomic<int> opened[most_threads];
int data[most_threads];

void wait(int self, int threads, int round) {
  if (self == 0) {
    for (int child = 1; child < threads; ++child)
      while (arrived[child].load(std::memory_order_seq_cst) != round) {
      }
    for (int child = 1; child < threads; ++child) opened[child].store(round, std::memory_order_seq_cst);
  } else {
    arrived[self].store(round, std::memory_order_seq_cst);
    while (opened[self].load(std::memory_order_seq_cst) != round) {
    }
  }
}

int main(int argc, char** argv) {
  const int rounds = argument(argc, argv, 1, 1), threads = argument(argc, argv, 2, 2);
  in_threads(threads, [=](int self) {
    for (int round = 1; round <= rounds; ++round) {
      data[self] = round;
      wait(self, threads, 2 * round - 1);
      for (int i = 0; i < threads; ++i) assert(data[i] == round);
      wait(self, threads, 2 * round);
    }
  });
  return 0;
}
