// Lamport's fast mutual exclusion: without contention two writes and two reads take it. BROKEN: who comes first, and
// who comes last, is written with release only.
#include <atomic>

#include "lock_program.hpp"

#ifdef BROKEN
constexpr auto announce = std::memory_order_release;
#else
constexpr auto announce = std::memory_order_seq_cst;
#endif

class LamportFastMutex {
 public:
  explicit LamportFastMutex(int threads) : threads_(threads) {}

  void lock(int self) {
    const int me = self + 1;
    for (;;) {
      interested_[self].store(true, announce);
      last_.store(me, announce);
      if (owner_.load() != nobody) {
        interested_[self].store(false, announce);
        wait_until_free();
        continue;
      }
      owner_.store(me, announce);
      if (last_.load() == me) return;
      interested_[self].store(false, announce);
      for (int i = 0; i < threads_; ++i)
        while (interested_[i].load()) {
        }
      if (owner_.load() == me) return;
      wait_until_free();
    }
  }
  void unlock(int self) {
    owner_.store(nobody, announce);
    interested_[self].store(false, announce);
  }

 private:
  static constexpr int nobody = 0;

  void wait_until_free() const {
    while (owner_.load() != nobody) {
    }
  }

  int threads_;
  std::atomic<bool> interested_[most_threads] = {};
  std::atomic<int> last_{nobody};
  std::atomic<int> owner_{nobody};
};

int main(int argc, char** argv) {
  LamportFastMutex lock(argument(argc, argv, 1, 2));
  return count_under_lock(lock, argc, argv);
}
