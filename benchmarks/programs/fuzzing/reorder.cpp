// reorder_5, _10 and _20 of the thesis: THREADS - 1 threads set two variables in order, one looks at both.
// heddle: finds assert
// heddle-runs: 1000
#include <atomic>
#include <cassert>
#include <thread>

#ifndef THREADS
#define THREADS 10
#endif

static std::atomic<int> a{0}, b{0};

int main() {
  std::thread all[THREADS];
  for (int i = 0; i < THREADS - 1; ++i)
    all[i] = std::thread([] {
      a.store(1);
      b.store(-1);
    });
  all[THREADS - 1] = std::thread([] {
    const int x = a.load(), y = b.load();
    assert((x == 0 && y == 0) || (x == 1 && y == -1));
  });
  for (std::thread& thread : all) thread.join();
}
