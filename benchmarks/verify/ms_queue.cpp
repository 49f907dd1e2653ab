// The queue of Michael and Scott, without reclamation: THREADS threads, each puts an element in and takes one out.
// BROKEN: a node is linked without a release.
#include <atomic>
#include <cassert>

#include "threads.hpp"

#ifdef BROKEN
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

Node nodes[most_threads + 1];
std::atomic<Node*> head{&nodes[most_threads]};
std::atomic<Node*> tail{&nodes[most_threads]};
int taken[most_threads];

void enqueue(Node& node) {
  for (;;) {
    Node* last = tail.load(std::memory_order_acquire);
    Node* next = last->next.load(std::memory_order_acquire);
    if (next != nullptr) {  // another thread linked its node and did not move the tail yet
      tail.compare_exchange_strong(last, next, std::memory_order_release, std::memory_order_relaxed);
    } else if (last->next.compare_exchange_strong(next, &node, publish, std::memory_order_relaxed)) {
      tail.compare_exchange_strong(last, &node, std::memory_order_release, std::memory_order_relaxed);
      return;
    }
  }
}

int dequeue() {
  for (;;) {
    Node* first = head.load(std::memory_order_acquire);
    Node* last = tail.load(std::memory_order_acquire);
    Node* next = first->next.load(std::memory_order_acquire);
    if (next == nullptr) return 0;
    if (first == last)
      tail.compare_exchange_strong(last, next, std::memory_order_release, std::memory_order_relaxed);
    else if (head.compare_exchange_strong(first, next, std::memory_order_acq_rel, std::memory_order_relaxed))
      return next->value;
  }
}

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  in_threads(threads, [](int self) {
    nodes[self].value = self + 1;
    enqueue(nodes[self]);
    taken[self] = dequeue();
  });
  int sum = 0;
  for (int i = 0; i < threads; ++i) {
    assert(taken[i] != 0);  // everybody puts in before he takes out
    sum += taken[i];
  }
  assert(sum == threads * (threads + 1) / 2);
  return 0;
}
