// moodycamel::BlockingConcurrentQueue: consumers wait for what producers bring, with and without a time limit.
// heddle: clean
#include <concurrentqueue/blockingconcurrentqueue.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

int main() {
  moodycamel::BlockingConcurrentQueue<int> queue;
  std::atomic<int> sum{0};
  std::thread consumer([&] {
    for (int i = 0; i < 2; ++i) {
      int value = 0;
      queue.wait_dequeue(value);
      sum.fetch_add(value, std::memory_order_relaxed);
    }
  });
  std::thread producer([&] {
    queue.enqueue(1);
    queue.enqueue(2);
  });
  int value = 0;
  queue.enqueue(4);
  const bool got_one = queue.wait_dequeue_timed(value, std::chrono::milliseconds(5));
  if (got_one) sum.fetch_add(value, std::memory_order_relaxed);
  producer.join();
  consumer.join();
  if (!got_one) {
    assert(queue.try_dequeue(value));
    sum += value;
  }
  assert(sum == 7);
}
