// A ticket lock: N! executions with one round, one for every order of the tickets. BROKEN: the next in line is called
// without a release.
#include <atomic>

#include "lock_program.hpp"

#ifdef BROKEN
constexpr auto call = std::memory_order_relaxed;
#else
constexpr auto call = std::memory_order_release;
#endif

class TicketLock {
 public:
  void lock(int) {
    const int mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (served_.load(std::memory_order_acquire) != mine) {
    }
  }
  void unlock(int) { served_.store(served_.load(std::memory_order_relaxed) + 1, call); }

 private:
  std::atomic<int> next_{0};
  std::atomic<int> served_{0};
};

TicketLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv); }
