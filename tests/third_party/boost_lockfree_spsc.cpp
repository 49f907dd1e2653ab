// boost::lockfree::spsc_queue: it is full and empty in between, its places are used again, one by one and several at
// once. Everything arrives, in order.
// heddle: clean
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
  std::thread producer([&] {
    for (int i = 0; i < 3; ++i) {
      while (!queue.push(i)) std::this_thread::yield();
    }
    const int several[] = {3, 4, 5};
    for (std::size_t pushed = 0; pushed < 3;) {
      const std::size_t more = queue.push(several + pushed, 3 - pushed);
      pushed += more;
      if (more == 0) std::this_thread::yield();
    }
  });
  int next = 0;
  auto check = [&](int value) { assert(value == next++); };
  while (next < 2) {
    if (queue.consume_one(check) == 0) std::this_thread::yield();
  }
  while (next < 6) {
    int values[2];
    const std::size_t taken = queue.pop(values, 2);
    for (std::size_t i = 0; i < taken; ++i) check(values[i]);
    if (taken == 0) std::this_thread::yield();
  }
  producer.join();
  assert(queue.empty());
}
