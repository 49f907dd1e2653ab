// boost::lockfree::spsc_queue: everything arrives, in order.
// heddle: clean
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
  std::thread producer([&] {
    for (int i = 0; i < 4; ++i) {
      while (!queue.push(i)) std::this_thread::yield();
    }
  });
  for (int i = 0; i < 4; ++i) {
    int value = -1;
    while (!queue.pop(value)) std::this_thread::yield();
    assert(value == i);
  }
  producer.join();
}
