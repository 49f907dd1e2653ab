// moodycamel::ConcurrentQueue, with blocks of two elements. Its elements are in order for each producer, so the
// specification is a queue for each of two producers. A call that another one runs beside may miss an element.
// heddle: clean
#include <concurrentqueue/concurrentqueue.h>

#include <heddle/linearizable.hpp>
#include <optional>

struct SmallBlocks : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};

struct Queue {
  void push(int value) { queue.enqueue(value); }
  std::optional<int> try_pop() {
    int value = 0;
    return queue.try_dequeue(value) ? std::optional(value) : std::nullopt;
  }
  moodycamel::ConcurrentQueue<int, SmallBlocks> queue{2};
};

struct QueueOfEachProducer {
  template <int producer>
  void push(int value) {
    queues[producer].push(value);
  }
  bool pops(std::optional<int> result) {
    if (!result) return queues[0].empty() && queues[1].empty();
    for (auto& queue : queues) {
      auto rest = queue;
      if (rest.try_pop() != result) continue;
      queue = rest;
      return true;
    }
    return false;
  }
  friend bool operator==(const QueueOfEachProducer& a, const QueueOfEachProducer& b) {
    return a.queues[0] == b.queues[0] && a.queues[1] == b.queues[1];
  }
  heddle::specification::queue<int> queues[2];
};

int main() {
  return heddle::linearizable<Queue>("moodycamel::ConcurrentQueue", QueueOfEachProducer())
      .operation("push", &Queue::push, &QueueOfEachProducer::push<0>, heddle::fresh)
      .only_by({"producer", 1})
      .operation("push", &Queue::push, &QueueOfEachProducer::push<1>, heddle::fresh)
      .only_by({"other producer", 1})
      .operation("try_pop", &Queue::try_pop, &QueueOfEachProducer::pops)
      .may_fail_with(std::optional<int>(), heddle::beside_others)
      .finally("try_pop", heddle::until_empty)
      .run();
}
