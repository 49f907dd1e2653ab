// A test-and-test-and-set lock. BROKEN: taking it does not synchronise with the release before.
#include <atomic>

#include "lock_program.hpp"

#ifdef BROKEN
constexpr auto take = std::memory_order_relaxed;
#else
constexpr auto take = std::memory_order_acquire;
#endif

class TtasLock {
 public:
  void lock(int) {
    do {
      while (taken_.load(std::memory_order_relaxed)) {
      }
    } while (taken_.exchange(true, take));
  }
  void unlock(int) { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

TtasLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv); }
