// boost::lockfree::spsc_queue with room for two elements, against a bounded queue: one producer, one consumer. Beside a
// pop, push may find the queue full that is not, and pop may find it empty: see docs/third-party.md. With -DSTRICT,
// that is a finding.
// heddle: clean
#include <boost/lockfree/spsc_queue.hpp>
#include <heddle/linearizable.hpp>
#include <optional>

struct Queue {
  bool try_push(int value) { return queue.push(value); }
  std::optional<int> try_pop() {
    int value = 0;
    return queue.pop(value) ? std::optional(value) : std::nullopt;
  }
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
};

int main() {
  return heddle::linearizable<Queue>("boost::lockfree::spsc_queue", heddle::specification::bounded_queue<int>(2))
      .operation(
          "push", [](auto& queue, int value) { return queue.try_push(value); }, heddle::fresh)
#ifndef STRICT
      .may_fail_with(false, heddle::beside_others)
#endif
      .only_by({"producer", 1})
      .operation("pop", [](auto& queue) { return queue.try_pop(); })
#ifndef STRICT
      .may_fail_with(std::optional<int>(), heddle::beside_others)
#endif
      .only_by({"consumer", 1})
      .up_to(6, 2)
      .finally("pop", heddle::until_empty)
      .run();
}
