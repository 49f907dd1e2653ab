// A Treiber stack that deletes nodes while other threads may hold pointers to them. A node's address comes back with
// the next allocation, and then a compare-exchange succeeds that should fail (ABA).
// heddle: finds use-after-free|race
// heddle-also: crash, double-free, use-after-free, race, leak, livelock
// heddle-levels: -O0 -O2
#include <atomic>
#include <thread>

struct Node {
  Node* next;
  int value;
};

static std::atomic<Node*> top{nullptr};

static void push(int value) {
  Node* node = new Node{top.load(std::memory_order_relaxed), value};
  while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

static int pop() {
  Node* node = top.load(std::memory_order_acquire);
  while (node != nullptr) {
    Node* next = node->next;  // another thread may have deleted the node
    if (top.compare_exchange_weak(node, next, std::memory_order_acquire, std::memory_order_acquire)) break;
  }
  if (node == nullptr) return 0;
  const int value = node->value;
  delete node;
  return value;
}

int main() {
  push(1);
  push(2);
  std::thread slow([] { pop(); });
  std::thread quick([] {
    pop();
    pop();
    push(3);
  });
  slow.join();
  quick.join();
  while (pop() != 0) {
  }
}
