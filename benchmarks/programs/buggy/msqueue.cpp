// Michael and Scott's queue: a list with a dummy in front; a thread that finds the tail lagging helps it along. With
// relaxed operations only, a thread reaches a node whose making it knows nothing of.
// heddle: finds race
// heddle-also: crash
#include <atomic>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto looking = std::memory_order_acquire;
constexpr auto linking = std::memory_order_acq_rel;
#else
constexpr auto looking = std::memory_order_relaxed;
constexpr auto linking = std::memory_order_relaxed;
#endif

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

// Nodes are never given back: reclamation is another subject.
static Node dummy;
static std::atomic<Node*> head{&dummy};
static std::atomic<Node*> tail{&dummy};
int taken[2];

static bool swing(std::atomic<Node*>& pointer, Node* from, Node* to) {
  return pointer.compare_exchange_strong(from, to, linking, looking);
}

static void enqueue(int value) {
  Node* node = new Node;
  node->value = value;
  while (true) {
    Node* last = tail.load(looking);
    Node* next = last->next.load(looking);
    if (next != nullptr) {
      swing(tail, last, next);
    } else if (swing(last->next, nullptr, node)) {
      swing(tail, last, node);
      return;
    }
  }
}

static bool dequeue(int& value) {
  while (true) {
    Node* first = head.load(looking);
    Node* last = tail.load(looking);
    Node* next = first->next.load(looking);
    if (next == nullptr) return false;
    if (first == last) {
      swing(tail, last, next);
      continue;
    }
    value = next->value;
    if (swing(head, first, next)) return true;
  }
}

static void work(int value) {
  inserted_writes();
  enqueue(value);
  dequeue(taken[value]);
}

int main() {
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
}
