// Peterson's lock for two threads, with a fence behind each store of a thread that wants to enter.
#include <atomic>

#include "locked_counter.hpp"

class PetersonLock {
 public:
  void lock(int self) {
    const int other = 1 - self;
    wants_[self].store(true, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    turn_.store(other, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    while (wants_[other].load(std::memory_order_seq_cst) && turn_.load(std::memory_order_seq_cst) == other) {
    }
  }
  void unlock(int self) { wants_[self].store(false, std::memory_order_seq_cst); }

 private:
  std::atomic<bool> wants_[2]{false, false};
  std::atomic<int> turn_{0};
};

PetersonLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 2); }
