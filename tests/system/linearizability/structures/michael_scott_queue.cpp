// The queue of Michael and Scott (Simple, fast, and practical non-blocking and blocking concurrent queue algorithms,
// 1996). The node of an element has the element's value as its number.
//
// 1: push publishes a node by a relaxed compare-exchange. 2: pop reads the link to the next node by a relaxed load. 3:
// push moves the tail before it links the node, so that later pushes can be found missing.
#include <atomic>
#include <optional>

#include "structure.hpp"

template <int broken>
class Queue {
 public:
  void push(int value) {
    Node* node = &nodes_[value];
    node->value.store(value, std::memory_order_relaxed);
    if (broken == 3) {
      Node* last = tail_.exchange(node, std::memory_order_acq_rel);
      last->next.store(node, std::memory_order_release);
      return;
    }
    for (;;) {
      Node* last = tail_.load(std::memory_order_acquire);
      Node* next = last->next.load(std::memory_order_acquire);
      if (next != nullptr) {  // another push has not moved the tail yet
        tail_.compare_exchange_strong(last, next, std::memory_order_acq_rel);
        continue;
      }
      if (last->next.compare_exchange_strong(next, node,
                                             broken == 1 ? std::memory_order_relaxed : std::memory_order_release)) {
        tail_.compare_exchange_strong(last, node, std::memory_order_acq_rel);
        return;
      }
    }
  }

  std::optional<int> try_pop() {
    for (;;) {
      Node* dummy = head_.load(std::memory_order_acquire);
      Node* next = dummy->next.load(broken == 2 ? std::memory_order_relaxed : std::memory_order_acquire);
      if (next == nullptr) return std::nullopt;
      const int value = next->value.load(std::memory_order_relaxed);
      if (head_.compare_exchange_strong(dummy, next, std::memory_order_acq_rel)) return value;
    }
  }

 private:
  struct Node {
    std::atomic<int> value{0};
    std::atomic<Node*> next{nullptr};
  };

  Node nodes_[12];
  std::atomic<Node*> head_{&nodes_[0]};
  std::atomic<Node*> tail_{&nodes_[0]};
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<Queue<broken>>("queue", heddle::specification::queue<int>())
      .operation(
          "push", [](auto& queue, int value) { queue.push(value); }, heddle::fresh)
      .operation("pop", [](auto& queue) { return queue.try_pop(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("pop", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>, test<3>}); }
