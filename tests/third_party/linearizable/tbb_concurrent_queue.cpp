// oneTBB's concurrent_queue against a queue. try_pop() may find it empty after a push of the same thread, while another
// push is under way (issue 782 of the project): no client and no assertion here names that case.
// heddle: finds linearizability
// heddle-mentions: = empty
// heddle-flags: -ltbb
// heddle-runs: 20000
// heddle-options: --seed 1 --explain none
#include <tbb/concurrent_queue.h>

#include <heddle/linearizable.hpp>
#include <optional>

struct Queue {
  void push(int value) { queue.push(value); }
  std::optional<int> try_pop() {
    int value = 0;
    return queue.try_pop(value) ? std::optional(value) : std::nullopt;
  }
  tbb::concurrent_queue<int> queue;
};

int main() {
  return heddle::linearizable<Queue>("tbb::concurrent_queue", heddle::specification::queue<int>())
      .operation(
          "push", [](auto& queue, int value) { queue.push(value); }, heddle::fresh)
      .operation("try_pop", [](auto& queue) { return queue.try_pop(); })
      .finally("try_pop", heddle::until_empty)
      .run();
}
