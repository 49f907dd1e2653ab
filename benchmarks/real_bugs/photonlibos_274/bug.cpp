// A mutex whose try_lock takes ownership by a releasing compare-exchange.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto taken = std::memory_order_acq_rel;
#else
constexpr auto taken = std::memory_order_release;
#endif

class Mutex {
 public:
  bool try_lock(void* self) {
    void* free = nullptr;
    return owner_.compare_exchange_strong(free, self, taken, std::memory_order_relaxed);  // upstream fix: acq_rel
  }
  void lock(void* self) {
    while (!try_lock(self)) std::this_thread::yield();
  }
  void unlock() { owner_.store(nullptr); }

 private:
  std::atomic<void*> owner_{nullptr};
};

static Mutex mutex;
static int counter = 0;

static void increment() {
  int self = 0;
  mutex.lock(&self);
  ++counter;
  mutex.unlock();
}

int main() {
  std::thread other([] {
    increment();
    increment();
  });
  increment();
  increment();
  other.join();
  assert(counter == 4);
}
