// oneTBB's concurrent_queue and concurrent_bounded_queue: each thread puts in and takes out, the bounded queue is full
// and empty in between. An item fills a page of the queue, so each item that is taken frees its page, and the nine
// items go once around the eight queues of which a queue consists. An attempt that fails is repeated: issue 782 of the
// project lets try_pop() fail although the queue has an element (benchmarks/real_bugs/onetbb_782). Waiting is left out,
// since that part is machine code in libtbb.so whose atomics heddle does not see, see docs/third-party.md. So is the
// allocator, which hands a page that one thread has freed to another thread: --trust says that it does so in order.
// heddle: clean
// heddle-flags: -ltbb
// heddle-options: --trust libtbb.so.12
#include <tbb/concurrent_queue.h>

#include <atomic>
#include <cassert>
#include <thread>

struct Item {
  int value = 0;
  char rest[132] = {};
};

int main() {
  tbb::concurrent_queue<Item> queue;
  tbb::concurrent_bounded_queue<int> bounded;
  bounded.set_capacity(1);
  std::atomic<int> sum{0};
  auto exchange = [&](int value, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      queue.push(Item{value, {}});
      Item got;
      while (!queue.try_pop(got)) std::this_thread::yield();
      sum.fetch_add(got.value, std::memory_order_relaxed);
    }
  };
  std::thread a([&] {
    exchange(1, 5);
    for (int value : {100, 200}) {
      while (!bounded.try_push(value)) std::this_thread::yield();
    }
  });
  std::thread b(exchange, 10, 4);
  int bounded_sum = 0, value = 0;
  for (int i = 0; i < 2; ++i) {
    while (!bounded.try_pop(value)) std::this_thread::yield();
    bounded_sum += value;
  }
  a.join();
  b.join();
  assert(sum == 45 && bounded_sum == 300);
  assert(queue.empty() && bounded.empty());
}
