// The unbounded queue of Vyukov for one producer and one consumer: a linked list, whose first node the consumer has
// read. The producer uses the nodes that the consumer has left again.
//
// 1: push publishes a node by a relaxed store. 2: push uses the node again that the consumer is about to leave.
#include <atomic>
#include <optional>

#include "structure.hpp"

template <int broken>
class Queue {
 public:
  void push(int value) {
    Node* node = free_node();
    node->next.store(nullptr, std::memory_order_relaxed);
    node->value.store(value, std::memory_order_relaxed);
    last_->next.store(node, broken == 1 ? std::memory_order_relaxed : std::memory_order_release);
    last_ = node;
  }

  std::optional<int> try_pop() {
    Node* read = read_.load(std::memory_order_relaxed);
    Node* next = read->next.load(std::memory_order_acquire);
    if (next == nullptr) return std::nullopt;
    const int value = next->value.load(std::memory_order_relaxed);
    read_.store(next, std::memory_order_release);
    return value;
  }

 private:
  struct Node {
    std::atomic<int> value{0};
    std::atomic<Node*> next{nullptr};
  };

  Node* free_node() {
    const Node* read = read_.load(std::memory_order_acquire);
    if (oldest_ == read && (broken != 2 || read == last_)) return &nodes_[used_++];
    Node* node = oldest_;
    oldest_ = node->next.load(std::memory_order_relaxed);
    return node;
  }

  Node nodes_[16];
  int used_ = 1;
  Node* oldest_ = &nodes_[0];  ///< of the producer, as is last_
  Node* last_ = &nodes_[0];
  std::atomic<Node*> read_{&nodes_[0]};
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<Queue<broken>>("queue", heddle::specification::queue<int>())
      .operation(
          "push", [](auto& queue, int value) { queue.push(value); }, heddle::fresh)
      .only_by({"producer", 1})
      .operation("pop", [](auto& queue) { return queue.try_pop(); })
      .only_by({"consumer", 1})
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .initially("push", 1)
      .finally("pop", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
