// moodycamel::ConcurrentQueue with blocks of two elements: two producers, with a token and without, one consumer. The
// queue is empty in between, and the producer with a token uses its blocks again; nothing is lost or doubled. The other
// blocks do not come from the free list, which has races: moodycamel_two_consumers.cpp.
// heddle: clean
#include <concurrentqueue/concurrentqueue.h>

#include <cassert>
#include <thread>

struct SmallBlocks : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
  static const size_t EXPLICIT_INITIAL_INDEX_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};

int main() {
  moodycamel::ConcurrentQueue<int, SmallBlocks> queue(16);
  int sum = 0, count = 0;
  auto take = [&](int attempts) {
    int value = 0;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (queue.try_dequeue(value)) {
        sum += value;
        ++count;
      }
    }
  };
  queue.enqueue(100);
  take(2);
  std::thread with_token([&] {
    moodycamel::ProducerToken token(queue);
    for (int value : {1, 2, 3, 4}) queue.enqueue(token, value);
    const int bulk[] = {5, 6};
    queue.enqueue_bulk(token, bulk, 2);
  });
  std::thread without([&] {
    const int bulk[] = {10, 20};
    queue.enqueue_bulk(bulk, 2);
  });
  take(5);
  int several[2];
  const std::size_t taken = queue.try_dequeue_bulk(several, 2);
  for (std::size_t i = 0; i < taken; ++i) sum += several[i];
  count += static_cast<int>(taken);
  with_token.join();
  without.join();
  while (queue.size_approx() > 0) take(1);
  assert(count == 9 && sum == 151);
}
