// A lock that one exchange takes and one store gives back.
#include <atomic>

#include "locked_counter.hpp"

class TestAndSetLock {
 public:
  void lock(int) {
    while (taken_.exchange(true, std::memory_order_seq_cst)) {
    }
  }
  void unlock(int) { taken_.store(false, std::memory_order_seq_cst); }

 private:
  std::atomic<bool> taken_{false};
};

TestAndSetLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 1); }
