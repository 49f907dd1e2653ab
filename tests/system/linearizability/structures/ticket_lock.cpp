// A ticket lock around a counter.
//
// 1: unlock calls the next ticket by a relaxed store. 2: two threads can draw the same ticket.
#include "locked_counter.hpp"

template <int broken>
class TicketLock {
 public:
  using Ticket = int;
  void lock(Ticket& ticket) {
    if (broken == 2) {
      ticket = next_.load(std::memory_order_relaxed);
      next_.store(ticket + 1, std::memory_order_relaxed);
    } else {
      ticket = next_.fetch_add(1, std::memory_order_relaxed);
    }
    while (called_.load(std::memory_order_acquire) != ticket) {
    }
  }
  void unlock(const Ticket& ticket) {
    called_.store(ticket + 1, broken == 1 ? std::memory_order_relaxed : std::memory_order_release);
  }

 private:
  std::atomic<int> next_{0};
  std::atomic<int> called_{0};
};

int main(int argc, char** argv) {
  return run_variant(argc, argv, {test_lock<TicketLock<0>>, test_lock<TicketLock<1>>, test_lock<TicketLock<2>>});
}
