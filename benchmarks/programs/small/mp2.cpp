// MP2 of the papers: a message that goes through a second thread to a third, all relaxed. Depth 2: the second must
// learn from the first and the third from the second, but not from the first.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

#include "../inserted_writes.hpp"

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<int> x{0}, y{0};

int main() {
  std::thread first([] {
    // On the variable that matters: more to choose from, too.
    for (int i = 0; i < INSERTED_WRITES; ++i) x.store(2, relaxed);
    x.store(1, relaxed);
  });
  std::thread second([] {
    if (x.load(relaxed) == 1) y.store(1, relaxed);
  });
  std::thread third([] {
    if (y.load(relaxed) == 1) assert(x.load(relaxed) != 0);
  });
  first.join();
  second.join();
  third.join();
}
