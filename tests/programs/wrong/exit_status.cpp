// The program tests itself, and returns 1 if an increment was lost. The report shows the status and what it printed.
// heddle: finds exit-status
// heddle-mentions: the program ended with exit status 1
// heddle-mentions: | lost an increment: 1
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> counter;

static void increment() { counter.store(counter.load() + 1); }

int main() {
  std::thread first(increment), second(increment);
  first.join();
  second.join();
  if (counter == 2) return 0;
  std::fprintf(stderr, "lost an increment: %d\n", counter.load());
  return 1;
}
