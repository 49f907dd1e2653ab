// boost::lockfree::stack, of growing and of fixed size: two threads push and pop. The stacks are empty and full in
// between, one grows, and their free lists give nodes out again. The free list reads the link of a node that another
// thread may have taken: a race, see docs/third-party.md.
// heddle: finds race
// heddle-mentions: freelist
// heddle-flags: -mcx16
#include <atomic>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::stack<int> growing(1);
  boost::lockfree::stack<int, boost::lockfree::capacity<1>> fixed;
  std::atomic<int> sum{0};
  auto work = [&](int value) {
    while (!growing.push(value)) std::this_thread::yield();
    int got = 0;
    if (growing.pop(got)) sum.fetch_add(got, std::memory_order_relaxed);
    while (!growing.push(10 * value)) std::this_thread::yield();
    for (int round = 0; round < 2; ++round) {
      const bool has_room = fixed.push(100 * value);
      if (!has_room) sum.fetch_add(100 * value, std::memory_order_relaxed);
      if (fixed.pop(got)) sum.fetch_add(got, std::memory_order_relaxed);
    }
  };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  int value = 0;
  while (growing.pop(value)) sum += value;
  assert(sum == 633 && fixed.empty());
}
