// A lock for many readers or one writer: the state is the number of readers, or -1. PROGRAM [READERS]: one thread
// writes a pair, the others read it.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

class ReaderWriterLock {
 public:
  void lock_shared() {
    for (;;) {
      int seen = state_.load(std::memory_order_seq_cst);
      if (seen >= 0 &&
          state_.compare_exchange_strong(seen, seen + 1, std::memory_order_seq_cst, std::memory_order_seq_cst))
        return;
    }
  }
  void unlock_shared() { state_.fetch_sub(1, std::memory_order_seq_cst); }
  void lock() {
    int seen = 0;
    while (!state_.compare_exchange_strong(seen, -1, std::memory_order_seq_cst, std::memory_order_seq_cst)) seen = 0;
  }
  void unlock() { state_.store(0, std::memory_order_seq_cst); }

 private:
  std::atomic<int> state_{0};
};

ReaderWriterLock the_lock;
int left, right;

int main(int argc, char** argv) {
  in_threads(1 + argument(argc, argv, 1, 1), [](int self) {
    if (self == 0) {
      the_lock.lock();
      left = right = 1;
      the_lock.unlock();
    } else {
      the_lock.lock_shared();
      assert(left == right);
      the_lock.unlock_shared();
    }
  });
  return 0;
}
