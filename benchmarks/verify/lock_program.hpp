// What all locks of this folder are used for: PROGRAM THREADS [ROUNDS], each thread takes the lock ROUNDS times. The
// counter is not atomic, so two threads in the critical section are a race, and a lost increment a failed assertion.
#pragma once

#include <cassert>

#include "threads.hpp"

template <typename Lock>
int count_under_lock(Lock& lock, int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  const int rounds = argument(argc, argv, 2, 1);
  int counter = 0;
  in_threads(threads, [&](int self) {
    for (int round = 0; round < rounds; ++round) {
      lock.lock(self);
      ++counter;
      lock.unlock(self);
    }
  });
  assert(counter == threads * rounds);
  return 0;
}
