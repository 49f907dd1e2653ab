// The lock of Mellor-Crummey and Scott (Algorithms for scalable synchronization on shared-memory multiprocessors, 1991)
// around a counter: each thread waits for a flag of its own.
//
// 1: unlock sets the flag of the next thread by a relaxed store. 2: unlock frees the lock by a relaxed operation if no
// thread waits.
#include "locked_counter.hpp"

template <int broken>
class McsLock {
 public:
  struct Ticket {
    std::atomic<Ticket*> next{nullptr};
    std::atomic<bool> may_go{false};
  };
  void lock(Ticket& ticket) {
    Ticket* before = last_.exchange(&ticket, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&ticket, std::memory_order_release);
    while (!ticket.may_go.load(std::memory_order_acquire)) {
    }
  }
  void unlock(Ticket& ticket) {
    if (ticket.next.load(std::memory_order_acquire) == nullptr) {
      Ticket* expected = &ticket;
      if (last_.compare_exchange_strong(expected, nullptr,
                                        broken == 2 ? std::memory_order_relaxed : std::memory_order_release,
                                        std::memory_order_relaxed))
        return;
      while (ticket.next.load(std::memory_order_acquire) == nullptr) {
      }
    }
    ticket.next.load(std::memory_order_relaxed)
        ->may_go.store(true, broken == 1 ? std::memory_order_relaxed : std::memory_order_release);
  }

 private:
  std::atomic<Ticket*> last_{nullptr};
};

int main(int argc, char** argv) {
  return run_variant(argc, argv, {test_lock<McsLock<0>>, test_lock<McsLock<1>>, test_lock<McsLock<2>>});
}
