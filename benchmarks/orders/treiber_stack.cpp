// Treiber's stack. Nodes are used once, so that no value of `top` comes back. Each thread pushes a node and pops one.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

struct Node {
  int value = 0;
  Node* next = nullptr;
};

std::atomic<Node*> top{nullptr};
Node nodes[most_threads];
int popped[most_threads];

void push(Node& node) {
  Node* seen = top.load(std::memory_order_seq_cst);
  do node.next = seen;
  while (!top.compare_exchange_strong(seen, &node, std::memory_order_seq_cst, std::memory_order_seq_cst));
}

int pop() {
  Node* seen = top.load(std::memory_order_seq_cst);
  while (seen != nullptr) {
    Node* next = seen->next;
    if (top.compare_exchange_strong(seen, next, std::memory_order_seq_cst, std::memory_order_seq_cst))
      return seen->value;
  }
  return 0;
}

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  in_threads(threads, [](int self) {
    nodes[self].value = self + 1;
    push(nodes[self]);
    popped[self] = pop();
  });
  int sum = 0;
  for (int i = 0; i < threads; ++i) sum += popped[i];
  assert(sum == threads * (threads + 1) / 2);
  return 0;
}
