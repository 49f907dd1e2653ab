// A queue against its sequential twin: see docs/linearizability.md.
#include "queue.hpp"

#include <heddle/linearizable.hpp>

int main() {
  return heddle::linearizable<Queue<int>>("queue", heddle::specification::queue<int>())
      .operation(
          "push", [](auto& queue, int value) { queue.push(value); }, heddle::fresh)
      .operation("pop", [](auto& queue) { return queue.try_pop(); })
      .finally("pop", heddle::until_empty)
      .run();
}
