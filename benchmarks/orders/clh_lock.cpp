// The queue lock of Craig, Landin and Hagersten: a thread waits at the node of its predecessor, and takes that node for
// its next turn.
#include <atomic>

#include "locked_counter.hpp"

class ClhLock {
 public:
  ClhLock() {
    for (int i = 0; i < most_threads; ++i) own_[i] = &nodes_[i];
  }
  void lock(int self) {
    own_[self]->closed.store(true, std::memory_order_seq_cst);
    before_[self] = last_.exchange(own_[self], std::memory_order_seq_cst);
    while (before_[self]->closed.load(std::memory_order_seq_cst)) {
    }
  }
  void unlock(int self) {
    own_[self]->closed.store(false, std::memory_order_seq_cst);
    own_[self] = before_[self];
  }

 private:
  struct Node {
    std::atomic<bool> closed{false};
  };
  Node nodes_[most_threads + 1];
  Node* own_[most_threads];
  Node* before_[most_threads];
  std::atomic<Node*> last_{&nodes_[most_threads]};
};

ClhLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 2); }
