// oneTBB's concurrent_queue and concurrent_bounded_queue; without waiting, since that part is machine code in libtbb.so
// whose atomics heddle does not see, see docs/third-party.md.
// heddle: clean
// heddle-flags: -ltbb
#include <tbb/concurrent_queue.h>

#include <cassert>
#include <thread>

int main() {
  tbb::concurrent_queue<int> queue;
  tbb::concurrent_bounded_queue<int> bounded;
  bounded.set_capacity(1);
  std::thread a([&] {
    queue.push(1);
    for (int value : {10, 20}) {
      while (!bounded.try_push(value)) std::this_thread::yield();
    }
  });
  std::thread b([&] { queue.push(2); });
  int sum = 0, value = 0;
  for (int i = 0; i < 2; ++i) {
    while (!bounded.try_pop(value)) std::this_thread::yield();
    sum += value;
  }
  a.join();
  b.join();
  while (queue.try_pop(value)) sum += value;
  assert(sum == 33);
}
