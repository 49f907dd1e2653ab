// A Treiber stack that deletes nodes as it pops them: another thread may still be looking at the node.
// Heddle says: use after free of a `Node`, with the stacks of the allocation, of the free and of the access.
// heddle: finds use-after-free
// heddle-also: race
#include <atomic>
#include <thread>

struct Node {
  int value;
  Node* next;
};

static std::atomic<Node*> top{nullptr};

static void push(int value) {
  Node* node = new Node{value, top.load(std::memory_order_relaxed)};
  while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

static void pop() {
  Node* old = top.load(std::memory_order_acquire);
  while (old != nullptr && !top.compare_exchange_weak(old, old->next, std::memory_order_acquire)) {
  }
  delete old;  // another thread may be about to read old->next
}

int main() {
  push(1);
  push(2);
  std::thread a(pop), b(pop);
  a.join();
  b.join();
}
