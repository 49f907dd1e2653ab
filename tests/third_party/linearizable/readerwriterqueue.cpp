// moodycamel::ReaderWriterQueue, with blocks of two elements, against a queue: one producer, one consumer.
// heddle: clean
#include <readerwriterqueue/readerwriterqueue.h>

#include <heddle/linearizable.hpp>
#include <memory>
#include <optional>

struct Queue {
  void push(int value) { queue.enqueue(value); }
  std::optional<int> try_pop() {
    int value = 0;
    return queue.try_dequeue(value) ? std::optional(value) : std::nullopt;
  }
  moodycamel::ReaderWriterQueue<int, 2> queue{1};
};

int main() {
  return heddle::linearizable<Queue>("moodycamel::ReaderWriterQueue", heddle::specification::queue<int>())
      .operation(
          "push", [](auto& queue, int value) { queue.push(value); }, heddle::fresh)
      .only_by({"producer", 1})
      .operation("try_pop", [](auto& queue) { return queue.try_pop(); })
      .only_by({"consumer", 1})
      .up_to(6, 2)
      .finally("try_pop", heddle::until_empty)
      .run();
}
