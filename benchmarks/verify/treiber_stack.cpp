// Treiber's stack: THREADS threads, each pushes an element and pops one. Nothing is lost and nothing popped twice.
// BROKEN: a node is published without a release.
#include <atomic>
#include <cassert>

#include "threads.hpp"

#ifdef BROKEN
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif

struct Node {
  int value;
  Node* next;
};

std::atomic<Node*> top;
Node nodes[most_threads];  // one a thread: nothing is freed, and no address comes back
int taken[most_threads];

void push(Node& node) {
  node.next = top.load(std::memory_order_relaxed);
  while (!top.compare_exchange_strong(node.next, &node, publish, std::memory_order_relaxed)) {
  }
}

Node* pop() {
  Node* node = top.load(std::memory_order_acquire);
  while (node != nullptr &&
         !top.compare_exchange_strong(node, node->next, std::memory_order_acquire, std::memory_order_acquire)) {
  }
  return node;
}

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  in_threads(threads, [](int self) {
    nodes[self].value = self + 1;
    push(nodes[self]);
    const Node* node = pop();  // there is one: everybody pushes before he pops
    assert(node != nullptr);
    taken[self] = node->value;
  });
  int sum = 0;
  for (int i = 0; i < threads; ++i) sum += taken[i];
  assert(sum == threads * (threads + 1) / 2);
  return 0;
}
