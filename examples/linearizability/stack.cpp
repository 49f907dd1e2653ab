// The stack of Treiber (Systems programming: coping with parallelism, 1986) against its sequential twin: see
// docs/linearizability.md. Nodes come from an array, and are not used again.
//
// With BROKEN, pop looks at the top without synchronising with the push that made it.
#include <atomic>
#include <heddle/linearizable.hpp>
#include <optional>

class Stack {
 public:
  void push(int value) {
    Node* node = &nodes_[used_.fetch_add(1, std::memory_order_relaxed)];
    node->value.store(value, std::memory_order_relaxed);
    Node* top = top_.load(std::memory_order_relaxed);
    do node->next.store(top, std::memory_order_relaxed);
    while (!top_.compare_exchange_weak(top, node, std::memory_order_release, std::memory_order_relaxed));
  }

  std::optional<int> try_pop() {
    Node* top = top_.load(look);
    while (top != nullptr) {
      Node* next = top->next.load(std::memory_order_relaxed);
      if (top_.compare_exchange_weak(top, next, look)) return top->value.load(std::memory_order_relaxed);
    }
    return std::nullopt;
  }

 private:
  struct Node {
    std::atomic<int> value{0};
    std::atomic<Node*> next{nullptr};
  };
#ifdef BROKEN
  static constexpr std::memory_order look = std::memory_order_relaxed;
#else
  static constexpr std::memory_order look = std::memory_order_acquire;
#endif

  std::atomic<Node*> top_{nullptr};
  Node nodes_[32];
  std::atomic<int> used_{0};
};

int main() {
  return heddle::linearizable<Stack>("stack", heddle::specification::stack<int>())
      .operation(
          "push", [](auto& stack, int value) { stack.push(value); }, heddle::fresh)
      .operation("pop", [](auto& stack) { return stack.try_pop(); })
      .finally("pop", heddle::until_empty)
      .run();
}
