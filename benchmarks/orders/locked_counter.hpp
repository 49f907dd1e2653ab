// The client of the locks of this folder: PROGRAM [ROUNDS [THREADS]]. Thread 0 takes the lock ROUNDS times, the others
// once. The counter is not atomic: two threads in the critical section, or two sections without happens-before, race.
#pragma once

#include <cassert>

#include "../verify/threads.hpp"

template <typename Lock>
int count_under_lock(Lock& lock, int argc, char** argv, int usual_rounds) {
  const int rounds = argument(argc, argv, 1, usual_rounds);
  const int threads = argument(argc, argv, 2, 2);
  int counter = 0;
  in_threads(threads, [&](int self) {
    for (int round = 0; round < (self == 0 ? rounds : 1); ++round) {
      lock.lock(self);
      ++counter;
      lock.unlock(self);
    }
  });
  assert(counter == rounds + threads - 1);
  return 0;
}
