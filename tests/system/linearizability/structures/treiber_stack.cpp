// The stack of Treiber (Systems programming: coping with parallelism, 1986). Each thread uses the node that it popped
// first again. A counter beside the top tells a node from the same node at its next use.
//
// 1: pop looks at the top without synchronising with the push that made it. 2: the counter does not count (ABA).
#include <atomic>
#include <cstdint>
#include <optional>

#include "structure.hpp"

template <int broken>
class Stack {
 public:
  void push(int value) {
    int node = spare_;
    spare_ = 0;
    if (node == 0) node = value;
    nodes_[node].value.store(value, std::memory_order_relaxed);
    Top top = top_.load(std::memory_order_relaxed);
    do nodes_[node].next.store(node_of(top), std::memory_order_relaxed);
    while (
        !top_.compare_exchange_strong(top, next_top(top, node), std::memory_order_release, std::memory_order_relaxed));
  }

  std::optional<int> try_pop() {
    Top top = top_.load(look);
    while (node_of(top) != 0) {
      Node& node = nodes_[node_of(top)];
      const int next = node.next.load(std::memory_order_relaxed);
      if (top_.compare_exchange_strong(top, next_top(top, next), look)) {
        const int value = node.value.load(std::memory_order_relaxed);
        if (spare_ == 0) spare_ = static_cast<int>(&node - nodes_);
        return value;
      }
    }
    return std::nullopt;
  }

 private:
  using Top = std::uint64_t;  // a node, and in the upper half the counter
  static int node_of(Top top) { return static_cast<int>(top & 0xffffffff); }
  static Top next_top(Top top, int node) {
    const Top counter = broken == 2 ? 0 : (top >> 32) + 1;
    return counter << 32 | static_cast<Top>(node);
  }
  static constexpr std::memory_order look = broken == 1 ? std::memory_order_relaxed : std::memory_order_acquire;

  struct Node {
    std::atomic<int> value{0};
    std::atomic<int> next{0};
  };
  static inline thread_local int spare_ = 0;

  std::atomic<Top> top_{0};
  Node nodes_[16];
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<Stack<broken>>("stack", heddle::specification::stack<int>())
      .operation(
          "push", [](auto& stack, int value) { stack.push(value); }, heddle::fresh)
      .operation("pop", [](auto& stack) { return stack.try_pop(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .initially("push", 2)
      .finally("pop", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
