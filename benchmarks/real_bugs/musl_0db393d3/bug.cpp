// A lock word with a flag that says that threads may wait. A thread that was woken, and finds the lock taken again,
// sleeps without the flag.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

constexpr int maybe_waiters = 0x4000;

class Lock {
 public:
  void lock(int thread) {
    while (true) {
      int owner = 0;
      if (word_.compare_exchange_strong(owner, thread)) return;
      const int flagged = owner | maybe_waiters;
      if (word_.compare_exchange_strong(owner, flagged)) break;
    }
    while (true) {
      int owner = 0;
      if (word_.compare_exchange_strong(owner, thread | maybe_waiters)) return;
#ifdef MENDED
      const int flagged = owner | maybe_waiters;
      if (owner == flagged || word_.compare_exchange_strong(owner, flagged)) futex_wait(word_, flagged);
#else
      futex_wait(word_, owner);  // upstream fix: set the flag before
#endif
    }
  }

  void unlock() {
    if (word_.exchange(0) & maybe_waiters) futex_wake(word_, 1);
  }

 private:
  std::atomic<int> word_{0};
};

static Lock file;
static int written = 0;

static void write(int thread) {
  file.lock(thread);
  ++written;
  file.unlock();
}

int main() {
  std::thread second([] { write(2); });
  std::thread third([] { write(3); });
  write(1);
  second.join();
  third.join();
  assert(written == 3);
}
