// oneTBB's concurrent_queue and concurrent_bounded_queue: each thread puts in and takes out, the bounded queue is full
// and empty in between. An attempt that fails is repeated: issue 782 of the project lets try_pop() fail although the
// queue has an element (benchmarks/real_bugs/onetbb_782). Waiting is left out, since that part is machine code in
// libtbb.so whose atomics heddle does not see, see docs/third-party.md.
// heddle: clean
// heddle-flags: -ltbb
#include <tbb/concurrent_queue.h>

#include <atomic>
#include <cassert>
#include <thread>

int main() {
  tbb::concurrent_queue<int> queue;
  tbb::concurrent_bounded_queue<int> bounded;
  bounded.set_capacity(1);
  std::atomic<int> sum{0};
  auto exchange = [&](int value) {
    for (int round = 0; round < 2; ++round) {
      queue.push(value);
      int got = 0;
      while (!queue.try_pop(got)) std::this_thread::yield();
      sum.fetch_add(got, std::memory_order_relaxed);
    }
  };
  std::thread a([&] {
    exchange(1);
    for (int value : {100, 200}) {
      while (!bounded.try_push(value)) std::this_thread::yield();
    }
  });
  std::thread b(exchange, 10);
  int bounded_sum = 0, value = 0;
  for (int i = 0; i < 2; ++i) {
    while (!bounded.try_pop(value)) std::this_thread::yield();
    bounded_sum += value;
  }
  a.join();
  b.join();
  assert(sum == 22 && bounded_sum == 300);
  assert(queue.empty() && bounded.empty());
}
