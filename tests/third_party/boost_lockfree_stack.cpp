// boost::lockfree::stack: two threads push and pop, and its free list gives nodes out again.
// Its free list reads the link of a node that another thread may have taken: a race, see docs/third-party.md.
// heddle: finds race
// heddle-mentions: freelist
// heddle-flags: -mcx16
#include <atomic>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::stack<int> stack(4);
  std::atomic<int> popped{0};
  auto work = [&](int value) {
    while (!stack.push(value)) std::this_thread::yield();
    int got = 0;
    if (stack.pop(got)) popped.fetch_add(got, std::memory_order_relaxed);
    while (!stack.push(10 * value)) std::this_thread::yield();
  };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  int sum = popped, value = 0;
  while (stack.pop(value)) sum += value;
  assert(sum == 33);
}
