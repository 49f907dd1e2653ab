// The queue of Michael and Scott, without reclamation. Each thread puts a node in and takes one out.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

struct Node {
  int value;
  std::atomic<Node*> next{nullptr};
};

Node sentinel{0};
std::atomic<Node*> head{&sentinel};
std::atomic<Node*> tail{&sentinel};
int taken[most_threads];

void enqueue(int value) {
  Node* node = new Node{value};
  for (;;) {
    Node* last = tail.load(std::memory_order_seq_cst);
    Node* next = last->next.load(std::memory_order_seq_cst);
    if (next != nullptr) {  // help the thread that has linked `next` and not moved the tail yet
      tail.compare_exchange_strong(last, next, std::memory_order_seq_cst, std::memory_order_seq_cst);
      continue;
    }
    if (last->next.compare_exchange_strong(next, node, std::memory_order_seq_cst, std::memory_order_seq_cst)) {
      tail.compare_exchange_strong(last, node, std::memory_order_seq_cst, std::memory_order_seq_cst);
      return;
    }
  }
}

int dequeue() {
  for (;;) {
    Node* first = head.load(std::memory_order_seq_cst);
    Node* last = tail.load(std::memory_order_seq_cst);
    Node* next = first->next.load(std::memory_order_seq_cst);
    if (next == nullptr) return 0;
    if (first == last) {
      tail.compare_exchange_strong(last, next, std::memory_order_seq_cst, std::memory_order_seq_cst);
      continue;
    }
    if (head.compare_exchange_strong(first, next, std::memory_order_seq_cst, std::memory_order_seq_cst))
      return next->value;
  }
}

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  in_threads(threads, [](int self) {
    enqueue(self + 1);
    taken[self] = dequeue();
  });
  int sum = 0;
  for (int i = 0; i < threads; ++i) {
    assert(taken[i] != 0);  // a thread puts in before it takes out
    sum += taken[i];
  }
  assert(sum == threads * (threads + 1) / 2);
  return 0;
}
