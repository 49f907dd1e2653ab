// moodycamel::ReaderWriterQueue and its blocking and circular sisters: one producer, one consumer, in order. The queues
// grow, are full and empty in between; size_approx() is left out (benchmarks/real_bugs/readerwriterqueue_171).
// heddle: clean
#include <readerwriterqueue/readerwritercircularbuffer.h>
#include <readerwriterqueue/readerwriterqueue.h>

#include <cassert>
#include <string>
#include <thread>

int main() {
  moodycamel::ReaderWriterQueue<std::string> queue(2);
  moodycamel::BlockingReaderWriterQueue<int> blocking(2);
  moodycamel::BlockingReaderWriterCircularBuffer<int> ring(2);
  std::thread producer([&] {
    for (int i = 0; i < 4; ++i) queue.enqueue("a text of more than fifteen characters, number " + std::to_string(i));
    for (int i = 0; i < 3; ++i) blocking.enqueue(i);
    for (int i = 0; i < 3; ++i) ring.wait_enqueue(i);
    while (!ring.try_enqueue(3)) std::this_thread::yield();
    while (!queue.try_enqueue("the last one")) std::this_thread::yield();
  });
  std::string text;
  for (int i = 0; i < 4; ++i) {
    while (!queue.try_dequeue(text)) std::this_thread::yield();
    assert(text.back() == '0' + i);
  }
  for (int i = 0; i < 3; ++i) {
    int value = -1;
    blocking.wait_dequeue(value);
    assert(value == i);
  }
  for (int i = 0; i < 3; ++i) {
    int value = -1;
    ring.wait_dequeue(value);
    assert(value == i);
  }
  int last = -1;
  while (!ring.try_dequeue(last)) std::this_thread::yield();
  assert(last == 3);
  while (queue.peek() == nullptr) std::this_thread::yield();
  assert(*queue.peek() == "the last one" && queue.pop() && queue.peek() == nullptr);
  producer.join();
}
