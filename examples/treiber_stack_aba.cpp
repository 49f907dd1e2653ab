// A Treiber stack over a pool of nodes: a node that was popped and pushed again looks as if nothing had happened (ABA).
// Heddle says: the assertion fails, because one node has two owners. No memory order would help.
// heddle: finds assert
// heddle-runs: 10000
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<int> owners{0};
};

static Node pool[3];
static std::atomic<Node*> top{nullptr};

static void push(Node* node) {
  Node* old = top.load(std::memory_order_relaxed);
  do {
    node->next.store(old, std::memory_order_relaxed);
  } while (!top.compare_exchange_weak(old, node, std::memory_order_release, std::memory_order_relaxed));
}

static Node* pop() {
  Node* old = top.load(std::memory_order_acquire);
  while (old != nullptr) {
    Node* next = old->next.load(std::memory_order_relaxed);  // out of date once `old` was popped and pushed again
    if (top.compare_exchange_weak(old, next, std::memory_order_acquire)) {
      const int owners = old->owners.fetch_add(1);
      assert(owners == 0);
      break;
    }
  }
  return old;
}

int main() {
  for (Node& node : pool) push(&node);
  std::thread slow([] {
    pop();
    pop();
  });
  std::thread quick([] {
    Node* node = pop();
    pop();
    if (node != nullptr) {
      node->owners.fetch_sub(1);
      push(node);
    }
  });
  slow.join();
  quick.join();
}
