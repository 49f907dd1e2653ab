// The queue lock of Mellor-Crummey and Scott: every waiting thread spins at a gate of its own, which the thread before
// it opens. If the gate is read relaxed, a thread that passes it does not know what its predecessor did.
// heddle: finds race
#include <atomic>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto passing = std::memory_order_acquire;
#else
constexpr auto passing = std::memory_order_relaxed;
#endif

struct Waiter {
  std::atomic<Waiter*> next{nullptr};
  std::atomic<bool> gate_closed{true};
};

class McsLock {
 public:
  void lock(Waiter& self) {
    Waiter* before = tail_.exchange(&self, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&self, std::memory_order_release);
    while (self.gate_closed.load(passing)) std::this_thread::yield();
  }

  void unlock(Waiter& self) {
    Waiter* next = self.next.load(std::memory_order_acquire);
    if (next == nullptr) {
      Waiter* last = &self;
      if (tail_.compare_exchange_strong(last, nullptr, std::memory_order_acq_rel, std::memory_order_relaxed)) return;
      while ((next = self.next.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    }
    next->gate_closed.store(false, std::memory_order_release);
  }

 private:
  std::atomic<Waiter*> tail_{nullptr};
};

static McsLock mutex;
static Waiter waiters[2][2];
static int shared;

static void alternate(int self) {
  inserted_writes();
  mutex.lock(waiters[self][0]);
  shared = self;
  mutex.unlock(waiters[self][0]);
  mutex.lock(waiters[self][1]);
  [[maybe_unused]] const volatile int seen = shared;
  mutex.unlock(waiters[self][1]);
}

int main() {
  std::thread first(alternate, 0), second(alternate, 1);
  first.join();
  second.join();
}
