// atomic_queue: the queue of atomic elements and the one of any elements, two producers and one consumer.
// heddle: clean
#include <atomic_queue/atomic_queue.h>

#include <cassert>
#include <thread>

int main() {
  static atomic_queue::AtomicQueue<unsigned, 4> simple;
  static atomic_queue::AtomicQueue2<int, 4> general;
  std::thread a([] {
    simple.push(1u);
    general.push(10);
  });
  std::thread b([] {
    simple.push(2u);
    while (!general.try_push(20)) std::this_thread::yield();
  });
  unsigned simple_sum = 0;
  int general_sum = 0;
  for (int i = 0; i < 2; ++i) simple_sum += simple.pop();
  for (int i = 0; i < 2; ++i) general_sum += general.pop();
  a.join();
  b.join();
  assert(simple_sum == 3 && general_sum == 30);
  assert(simple.was_empty() && general.was_empty());
}
