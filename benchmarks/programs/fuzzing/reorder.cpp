// reorder_10 of the thesis, which prints neither its source nor how many threads do what: SETTERS threads set two
// variables in order, then CHECKERS threads look at both. With five of each, ten threads, random is about as fast as
// there, under c11; with nine and one it needs more than 10,000 executions.
// heddle: finds assert
// heddle-runs: 1000
#include <atomic>
#include <cassert>
#include <thread>

#ifndef SETTERS
#define SETTERS 5
#endif
#ifndef CHECKERS
#define CHECKERS 5
#endif

static std::atomic<int> a{0}, b{0};

int main() {
  std::thread all[SETTERS + CHECKERS];
  for (int i = 0; i < SETTERS; ++i)
    all[i] = std::thread([] {
      a.store(1);
      b.store(-1);
    });
  for (int i = 0; i < CHECKERS; ++i)
    all[SETTERS + i] = std::thread([] {
      const int x = a.load(), y = b.load();
      assert((x == 0 && y == 0) || (x == 1 && y == -1));
    });
  for (std::thread& thread : all) thread.join();
}
