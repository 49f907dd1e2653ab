// std::call_once with a function that throws at first, and threads that meet it while it runs. What the function wrote
// is visible to every thread whose call has returned.
// heddle: clean
// heddle-runs: 500
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int value, calls;
static std::atomic<int> failures{0};

static void use() {
  for (;;) {
    try {
      std::call_once(flag, [] {
        if (++calls == 1) throw std::runtime_error("not yet");
        value = 42;
      });
    } catch (const std::runtime_error&) {
      ++failures;
      continue;
    }
    break;
  }
  assert(value == 42);
}

int main() {
  std::thread a(use), b(use), c(use);
  a.join();
  b.join();
  c.join();
  assert(calls == 2 && failures == 1);
}
