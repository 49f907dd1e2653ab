// A queue lock (MCS): each waiter spins on a flag of its own, which its predecessor clears.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

struct Waiter {
  std::atomic<Waiter*> next{nullptr};
  std::atomic<bool> must_wait{false};
};

static std::atomic<Waiter*> tail{nullptr};
static int counter;

static void work() {
  Waiter me;
  if (Waiter* before = tail.exchange(&me, std::memory_order_acq_rel)) {
    me.must_wait.store(true, std::memory_order_relaxed);
    before->next.store(&me, std::memory_order_release);
    while (me.must_wait.load(std::memory_order_acquire)) {
    }
  }
  ++counter;
  Waiter* after = me.next.load(std::memory_order_acquire);
  if (after == nullptr) {
    Waiter* expected = &me;
    if (tail.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel)) return;
    while ((after = me.next.load(std::memory_order_acquire)) == nullptr) {
    }
  }
  after->must_wait.store(false, std::memory_order_release);
}

int main() {
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(counter == 3);
}
