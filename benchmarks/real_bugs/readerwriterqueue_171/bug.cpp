// moodycamel::ReaderWriterQueue of Debian 12: the producer links a new block before it is published, and size_approx()
// follows the links.
#include <readerwriterqueue/readerwriterqueue.h>

#include <cassert>
#include <thread>

int main() {
  moodycamel::ReaderWriterQueue<int> queue(1);
  std::thread producer([&] {
    for (int i = 1; i <= 4; ++i) queue.enqueue(i);
  });
  std::thread observer([&] {
    assert(queue.size_approx() <= 4);
    assert(queue.size_approx() <= 4);
  });
  int sum = 0, value = 0;
  if (queue.try_dequeue(value)) sum += value;
  producer.join();
  observer.join();
  while (queue.try_dequeue(value)) sum += value;
  assert(sum == 10);
}
