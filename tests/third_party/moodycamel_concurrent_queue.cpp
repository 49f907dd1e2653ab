// moodycamel::ConcurrentQueue: two producers, with and without a token, one consumer; nothing lost or doubled.
// heddle: clean
#include <concurrentqueue/concurrentqueue.h>

#include <cassert>
#include <thread>

int main() {
  moodycamel::ConcurrentQueue<int> queue(8);
  std::thread with_token([&] {
    moodycamel::ProducerToken token(queue);
    queue.enqueue(token, 1);
    queue.enqueue(token, 2);
  });
  std::thread without([&] {
    const int bulk[] = {10, 20};
    queue.enqueue_bulk(bulk, 2);
  });
  int sum = 0, count = 0, value = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (queue.try_dequeue(value)) {
      sum += value;
      ++count;
    }
  }
  with_token.join();
  without.join();
  while (queue.try_dequeue(value)) {
    sum += value;
    ++count;
  }
  assert(count == 4 && sum == 33);
}
