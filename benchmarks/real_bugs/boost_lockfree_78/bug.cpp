// boost::lockfree::queue 1.74: threads that take nodes from the free list read a link that another thread writes.
#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::queue<int> queue(2);
  std::atomic<int> sum{0};
  auto work = [&](int value) {
    while (!queue.push(value)) {
    }
    int got = 0;
    if (queue.pop(got)) sum += got;
  };
  std::thread other([&] {
    work(1);
    work(2);
  });
  work(4);
  work(8);
  other.join();
  int got = 0;
  while (queue.pop(got)) sum += got;
  assert(sum == 15);
}
