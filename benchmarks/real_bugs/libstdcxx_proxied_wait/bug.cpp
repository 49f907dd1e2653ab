// Waiting for a value that is no futex: the waiter sleeps on a version number. It looks at the value before it reads
// the version, so a change in between has the new version already, and there is nothing to wait for.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

static std::atomic<long> value{0};
static std::atomic<int> version{0}, waiters{0};

static void wait_while(long old) {
  waiters.fetch_add(1);
#ifdef MENDED
  while (true) {
    const int seen = version.load();
    if (value.load() != old) break;
    futex_wait(version, seen);
  }
#else
  while (value.load() == old) {       // upstream fix: the version is read before the value
    const int seen = version.load();  // upstream fix
    futex_wait(version, seen);
  }
#endif
  waiters.fetch_sub(1);
}

static void notify() {
  version.fetch_add(1);
  if (waiters.load() != 0) futex_wake_all(version);
}

int main() {
  std::thread other([] {
    wait_while(0);
    value.store(2);
    notify();
  });
  value.store(1);
  notify();
  wait_while(1);
  other.join();
  assert(value.load() == 2);
}
