// A ticket lock: threads enter in the order in which they took a number.
#include <atomic>

#include "locked_counter.hpp"

class TicketLock {
 public:
  void lock(int) {
    const unsigned mine = next_.fetch_add(1, std::memory_order_seq_cst);
    while (serving_.load(std::memory_order_seq_cst) != mine) {
    }
  }
  void unlock(int) {
    const unsigned mine = serving_.load(std::memory_order_seq_cst);
    serving_.store(mine + 1, std::memory_order_seq_cst);
  }

 private:
  std::atomic<unsigned> next_{0};
  std::atomic<unsigned> serving_{0};
};

TicketLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv, 2); }
