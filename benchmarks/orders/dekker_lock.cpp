// Dekker's lock for two threads: the thread that does not have the turn takes its wish back.
#include <atomic>

#include "locked_counter.hpp"

class DekkerLock {
 public:
  void lock(int self) {
    const int other = 1 - self;
    wants_[self].store(true, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    while (wants_[other].load(std::memory_order_seq_cst)) {
      if (turn_.load(std::memory_order_seq_cst) == self) continue;
      wants_[self].store(false, std::memory_order_seq_cst);
      while (turn_.load(std::memory_order_seq_cst) != self) {
      }
      wants_[self].store(true, std::memory_order_seq_cst);
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  }
  void unlock(int self) {
    turn_.store(1 - self, std::memory_order_seq_cst);
    wants_[self].store(false, std::memory_order_seq_cst);
  }

 private:
  std::atomic<bool> wants_[2]{false, false};
  std::atomic<int> turn_{0};
};

DekkerLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 2); }
