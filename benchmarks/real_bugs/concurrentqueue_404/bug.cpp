// moodycamel::ConcurrentQueue 1.0.3: a block that several threads have emptied is filled again by a producer.
#include <concurrentqueue/concurrentqueue.h>

#include <atomic>
#include <cassert>
#include <thread>

struct SmallBlocks : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};

int main() {
  moodycamel::ConcurrentQueue<int, SmallBlocks> queue(2);
  std::atomic<int> sum{0};
  queue.enqueue(1);
  queue.enqueue(2);
  auto take = [&] {
    int value = 0;
    if (queue.try_dequeue(value)) sum += value;
  };
  std::thread consumer(take);
  take();
  queue.enqueue(4);
  queue.enqueue(8);
  consumer.join();
  int value = 0;
  while (queue.try_dequeue(value)) sum += value;
  assert(sum == 15);
}
