// A counter that THREADS threads increment by a loop around a compare-exchange. For every order of the threads there is
// one execution in which no iteration fails.
#include <atomic>
#include <cassert>

#include "threads.hpp"

std::atomic<int> counter;

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  in_threads(threads, [](int) {
    int seen = counter.load();
    while (!counter.compare_exchange_strong(seen, seen + 1)) {
    }
  });
  assert(counter.load() == threads);
  return 0;
}
