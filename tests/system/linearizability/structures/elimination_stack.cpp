// A stack whose push and pop meet in a slot if the top is contended (Hendler, Shavit, Yerushalmi: A scalable lock-free
// stack algorithm, 2004). The node of an element has the element's value as its number.
//
// 1: push takes its offer back by a store, although a pop may have taken it. 2: push offers its element by a relaxed
// store, and pop takes the element from the node.
#include <atomic>
#include <optional>

#include "structure.hpp"

template <int broken>
class Stack {
 public:
  void push(int value) {
    Node& node = nodes_[value];
    node.value.store(value, std::memory_order_relaxed);
    for (;;) {
      int top = top_.load(std::memory_order_relaxed);
      node.next.store(top, std::memory_order_relaxed);
      if (top_.compare_exchange_strong(top, value, std::memory_order_release, std::memory_order_relaxed)) return;
      if (is_eliminated(value)) return;
    }
  }

  std::optional<int> try_pop() {
    for (;;) {
      int top = top_.load(std::memory_order_acquire);
      if (top == 0) return std::nullopt;
      const int next = nodes_[top].next.load(std::memory_order_relaxed);
      if (top_.compare_exchange_strong(top, next, std::memory_order_acquire)) return value_of(top);
      int offer = slot_.load(std::memory_order_relaxed);
      if (offer > 0 &&
          slot_.compare_exchange_strong(offer, taken, std::memory_order_acquire, std::memory_order_relaxed))
        return value_of(offer);
    }
  }

 private:
  bool is_eliminated(int value) {
    int free = 0;
    const auto publication = broken == 2 ? std::memory_order_relaxed : std::memory_order_release;
    if (!slot_.compare_exchange_strong(free, value, publication, std::memory_order_relaxed)) return false;
    if (broken == 1) {
      slot_.store(0, std::memory_order_relaxed);
      return false;
    }
    int offer = value;
    if (slot_.compare_exchange_strong(offer, 0, std::memory_order_relaxed)) return false;
    slot_.store(0, std::memory_order_relaxed);
    return true;
  }
  int value_of(int node) { return nodes_[node].value.load(std::memory_order_relaxed); }

  struct Node {
    std::atomic<int> value{0};
    std::atomic<int> next{0};
  };
  static constexpr int taken = -1;

  std::atomic<int> top_{0};
  std::atomic<int> slot_{0};  ///< 0, the element that a push offers, or taken
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
      .initially("push", 1)
      .finally("pop", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
