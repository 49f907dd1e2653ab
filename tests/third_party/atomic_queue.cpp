// atomic_queue: the queue of atomic elements and the one of any elements, two producers and one consumer. Each queue is
// empty, full, and uses its places again.
// heddle: clean
#include <atomic_queue/atomic_queue.h>

#include <cassert>
#include <thread>

int main() {
  static atomic_queue::AtomicQueue<unsigned, 2> simple;
  static atomic_queue::AtomicQueue2<int, 2> general;
  std::thread a([] {
    for (unsigned value : {1u, 2u}) {
      while (!simple.try_push(value)) std::this_thread::yield();
    }
    for (int value : {10, 20}) general.push(value);
  });
  std::thread b([] {
    for (unsigned value : {4u, 8u}) simple.push(value);
    for (int value : {40, 80}) {
      while (!general.try_push(value)) std::this_thread::yield();
    }
  });
  unsigned simple_sum = 0;
  int general_sum = 0;
  for (int i = 0; i < 4; ++i) simple_sum += simple.pop();
  for (int i = 0; i < 4; ++i) general_sum += general.pop();
  a.join();
  b.join();
  assert(simple_sum == 15 && general_sum == 150);
  assert(simple.was_empty() && general.was_empty());
}
