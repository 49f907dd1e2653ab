// moodycamel::BlockingConcurrentQueue: consumers wait for what producers bring, one by one and several at once, with
// and without a time limit. The blocks hold two elements, and do not come
// from the free list, which has races: moodycamel_two_consumers.cpp.
// heddle: clean
#include <concurrentqueue/blockingconcurrentqueue.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

struct SmallBlocks : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};

int main() {
  moodycamel::BlockingConcurrentQueue<int, SmallBlocks> queue(32);
  std::atomic<int> sum{0};
  std::thread consumer([&] {
    int values[2];
    std::size_t taken = queue.wait_dequeue_bulk(values, 2);
    for (std::size_t i = 0; i < taken; ++i) sum.fetch_add(values[i], std::memory_order_relaxed);
    while (taken < 4) {
      queue.wait_dequeue(values[0]);
      sum.fetch_add(values[0], std::memory_order_relaxed);
      ++taken;
    }
  });
  std::thread producer([&] {
    for (int value : {1, 2, 4}) queue.enqueue(value);
  });
  const int bulk[] = {8, 16};
  queue.enqueue_bulk(bulk, 2);
  int value = 0;
  const bool got_one = queue.wait_dequeue_timed(value, std::chrono::milliseconds(5));
  if (got_one) sum.fetch_add(value, std::memory_order_relaxed);
  producer.join();
  consumer.join();
  if (!got_one) {
    const bool is_left = queue.try_dequeue(value);
    assert(is_left);
    sum += value;
  }
  assert(sum == 31);
  const bool is_left = queue.try_dequeue(value);
  assert(!is_left);
}
