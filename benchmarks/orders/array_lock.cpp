// Anderson's lock: each thread waits at a slot of an array, and the owner opens the slot behind its own.
#include <atomic>

#include "locked_counter.hpp"

class ArrayLock {
 public:
  void lock(int self) {
    const unsigned mine = next_.fetch_add(1, std::memory_order_seq_cst) % slots;
    while (!is_open_[mine].load(std::memory_order_seq_cst)) {
    }
    is_open_[mine].store(false, std::memory_order_seq_cst);
    slot_of_[self] = mine;
  }
  void unlock(int self) { is_open_[(slot_of_[self] + 1) % slots].store(true, std::memory_order_seq_cst); }

 private:
  static constexpr unsigned slots = 2;  // as many as threads
  std::atomic<unsigned> next_{0};
  std::atomic<bool> is_open_[slots]{true, false};
  unsigned slot_of_[slots] = {};
};

ArrayLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 2); }
