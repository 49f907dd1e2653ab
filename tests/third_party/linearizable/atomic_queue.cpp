// atomic_queue::AtomicQueue against a bounded queue. A call that another one runs beside may find it full or empty that
// is not.
// heddle: clean
#include <atomic_queue/atomic_queue.h>

#include <heddle/linearizable.hpp>
#include <optional>

struct Queue {
  bool try_push(int value) { return queue.try_push(value); }
  std::optional<int> try_pop() {
    int value = 0;
    return queue.try_pop(value) ? std::optional(value) : std::nullopt;
  }
  atomic_queue::AtomicQueue<int, 2, 0, false, false> queue;
};

int main() {
  return heddle::linearizable<Queue>("atomic_queue::AtomicQueue", heddle::specification::bounded_queue<int>(2))
      .operation(
          "push", [](auto& queue, int value) { return queue.try_push(value); }, heddle::fresh)
      .may_fail_with(false, heddle::beside_others)
      .operation("pop", [](auto& queue) { return queue.try_pop(); })
      .may_fail_with(std::optional<int>(), heddle::beside_others)
      .finally("pop", heddle::until_empty)
      .run();
}
