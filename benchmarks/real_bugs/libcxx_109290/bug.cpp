// Waiting for a value that is no futex: the waiter sleeps on a version number beside a count of waiters.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

#ifdef MENDED
constexpr auto version_changed = std::memory_order_seq_cst;
#else
constexpr auto version_changed = std::memory_order_release;
#endif

struct Contention {
  std::atomic<int> waiters{0};
  std::atomic<int> version{0};
};
static Contention contention;
static std::atomic<long> value{0};

static void wait_while(long old) {
  while (value.load(std::memory_order_acquire) == old) {
    const int seen = contention.version.load(std::memory_order_acquire);
    if (value.load(std::memory_order_acquire) != old) return;
#ifdef MENDED
    contention.waiters.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
#else
    contention.waiters.fetch_add(1, std::memory_order_seq_cst);
#endif
    futex_wait(contention.version, seen);
    contention.waiters.fetch_sub(1, std::memory_order_release);
  }
}

static void notify() {
  contention.version.fetch_add(1, version_changed);  // upstream fix: seq_cst
  if (contention.waiters.load(std::memory_order_seq_cst) != 0) futex_wake_all(contention.version);
}

int main() {
  std::thread other([] {
    wait_while(0);
    value.store(2, std::memory_order_release);
    notify();
  });
  value.store(1, std::memory_order_release);
  notify();
  wait_while(1);
  other.join();
  assert(value.load() == 2);
}
