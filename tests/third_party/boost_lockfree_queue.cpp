// boost::lockfree::queue, of fixed and of growing size: two producers, one consumer.
// Its free list reads the link of a node that another thread may have taken: a race, see docs/third-party.md.
// heddle: finds race
// heddle-also: livelock
// heddle-mentions: freelist
// heddle-flags: -mcx16
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::queue<int> growing(2);
  boost::lockfree::queue<int, boost::lockfree::capacity<4>> fixed;
  auto produce = [&](int value) {
    while (!growing.push(value)) std::this_thread::yield();
    while (!fixed.push(10 * value)) std::this_thread::yield();
  };
  std::thread a(produce, 1), b(produce, 2);
  int sum = 0, value = 0;
  for (int i = 0; i < 2; ++i) {
    while (!growing.pop(value)) std::this_thread::yield();
    sum += value;
  }
  a.join();
  b.join();
  while (fixed.pop(value)) sum += value;
  assert(sum == 33);
}
