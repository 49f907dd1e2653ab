// moodycamel::ConcurrentQueue with blocks of two elements, which two consumers empty together, before a producer fills
// them again. The producer is not ordered after both (issue 404 of the project): a race, see docs/third-party.md.
// heddle: finds race
// heddle-also: assert
// heddle-mentions: concurrentqueue.h
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
  auto take = [&] {
    int value = 0;
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (queue.try_dequeue(value)) sum.fetch_add(value, std::memory_order_relaxed);
    }
  };
  queue.enqueue(1);
  queue.enqueue(2);
  std::thread a(take), b(take);
  for (int value : {4, 8, 16, 32}) queue.enqueue(value);
  a.join();
  b.join();
  int value = 0;
  while (queue.try_dequeue(value)) sum += value;
  assert(sum == 63);
}
