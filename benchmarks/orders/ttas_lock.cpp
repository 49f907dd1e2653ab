// A test-and-test-and-set lock: waiting threads only read.
#include <atomic>

#include "locked_counter.hpp"

class TtasLock {
 public:
  void lock(int) {
    do {
      while (taken_.load(std::memory_order_seq_cst)) {
      }
    } while (taken_.exchange(true, std::memory_order_seq_cst));
  }
  void unlock(int) { taken_.store(false, std::memory_order_seq_cst); }

 private:
  std::atomic<bool> taken_{false};
};

TtasLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 1); }
