// boost::lockfree::queue, of fixed and of growing size: two producers, one consumer. The queues are empty and full in
// between, one grows, and both use their nodes again.
// Its free list reads the link of a node that another thread may have taken: a race, see docs/third-party.md.
// heddle: finds race
// heddle-also: livelock
// heddle-mentions: freelist
// heddle-flags: -mcx16
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::queue<int> growing(1);
  boost::lockfree::queue<int, boost::lockfree::capacity<2>> fixed;
  auto produce = [&](int value) {
    for (int round = 0; round < 2; ++round) {
      while (!growing.push(value)) std::this_thread::yield();
      while (!fixed.push(10 * value)) std::this_thread::yield();
    }
  };
  std::thread a(produce, 1), b(produce, 2);
  int sum = 0, value = 0;
  for (int i = 0; i < 4; ++i) {
    while (!growing.pop(value)) std::this_thread::yield();
    sum += value;
    while (!fixed.pop(value)) std::this_thread::yield();
    sum += value;
  }
  a.join();
  b.join();
  assert(sum == 66 && growing.empty() && fixed.empty());
}
