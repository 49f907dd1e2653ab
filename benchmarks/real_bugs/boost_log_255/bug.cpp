// An event that a feeding thread waits for. Setting it does nothing if it seems to be set already: but the waiting
// thread may have consumed that setting, before it looked into the queue.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

class Event {
 public:
  void wait() {
    while (state_.exchange(0, std::memory_order_acq_rel) == 0) futex_wait(state_, 0);
  }

  void set() {
#ifdef MENDED
    if (state_.exchange(1, std::memory_order_acq_rel) == 0) futex_wake(state_, 1);
#else
    if (state_.load(std::memory_order_relaxed) != 0)  // upstream fix: always exchange
      std::atomic_thread_fence(std::memory_order_release);
    else if (state_.exchange(1, std::memory_order_release) == 0)
      futex_wake(state_, 1);
#endif
  }

 private:
  std::atomic<int> state_{0};
};

static Event event;
static std::atomic<int> records{0};

int main() {
  std::thread feeder([] {
    int written = 0;
    while (written < 3) {
      event.wait();
      written += records.exchange(0, std::memory_order_relaxed);
    }
    assert(written == 3);
  });
  for (int i = 0; i < 3; ++i) {
    records.fetch_add(1, std::memory_order_relaxed);
    event.set();
  }
  feeder.join();
}
