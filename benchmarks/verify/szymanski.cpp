// Szymanski's mutual exclusion: a waiting room whose door closes while a thread inside passes. It needs a total order
// of all accesses to the flags. BROKEN: the flags are written with release only.
#include <atomic>

#include "lock_program.hpp"

#ifdef BROKEN
constexpr auto announce = std::memory_order_release;
#else
constexpr auto announce = std::memory_order_seq_cst;
#endif

class Szymanski {
 public:
  explicit Szymanski(int threads) : threads_(threads) {}

  void lock(int self) {
    flags_[self].store(outside, announce);
    for (int i = 0; i < threads_; ++i)
      while (flag(i) >= in_doorway) {
      }
    flags_[self].store(in_doorway, announce);
    if (anybody(outside)) {
      flags_[self].store(waiting, announce);
      while (!anybody(inside)) {
      }
    }
    flags_[self].store(inside, announce);
    for (int i = 0; i < self; ++i)
      while (flag(i) >= waiting) {
      }
  }
  void unlock(int self) {
    for (int i = self + 1; i < threads_; ++i)
      for (int seen = flag(i); seen == waiting || seen == in_doorway; seen = flag(i)) {
      }
    flags_[self].store(elsewhere, announce);
  }

 private:
  enum Flag : int { elsewhere, outside, waiting, in_doorway, inside };

  int flag(int of) const { return flags_[of].load(std::memory_order_seq_cst); }
  bool anybody(Flag wanted) const {
    for (int i = 0; i < threads_; ++i)
      if (flag(i) == wanted) return true;
    return false;
  }

  int threads_;
  std::atomic<int> flags_[most_threads] = {};
};

int main(int argc, char** argv) {
  Szymanski lock(argument(argc, argv, 1, 2));
  return count_under_lock(lock, argc, argv);
}
