// The queue lock of Mellor-Crummey and Scott: each thread waits at a node of its own, which its predecessor opens.
#include <atomic>

#include "locked_counter.hpp"

class McsLock {
 public:
  void lock(int self) {
    Node& mine = nodes_[self];
    mine.next.store(nullptr, std::memory_order_seq_cst);
    mine.closed.store(true, std::memory_order_seq_cst);
    Node* before = last_.exchange(&mine, std::memory_order_seq_cst);
    if (before == nullptr) return;
    before->next.store(&mine, std::memory_order_seq_cst);
    while (mine.closed.load(std::memory_order_seq_cst)) {
    }
  }
  void unlock(int self) {
    Node& mine = nodes_[self];
    Node* next = mine.next.load(std::memory_order_seq_cst);
    if (next == nullptr) {
      Node* expected = &mine;
      if (last_.compare_exchange_strong(expected, nullptr, std::memory_order_seq_cst, std::memory_order_seq_cst))
        return;
      while ((next = mine.next.load(std::memory_order_seq_cst)) == nullptr) {
      }
    }
    next->closed.store(false, std::memory_order_seq_cst);
  }

 private:
  struct Node {
    std::atomic<Node*> next;
    std::atomic<bool> closed;
  };
  Node nodes_[most_threads];
  std::atomic<Node*> last_{nullptr};
};

McsLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 2); }
