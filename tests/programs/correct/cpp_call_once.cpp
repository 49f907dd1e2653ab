// std::call_once: one call succeeds, an exception lets the next one try, and all see the result.
// heddle: clean
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int attempts, value;

static void initialise() {
  if (++attempts == 1) throw std::runtime_error("not yet");
  value = 9;
}

static void use() {
  for (;;) {
    try {
      std::call_once(flag, initialise);
      break;
    } catch (const std::runtime_error&) {
    }
  }
  assert(value == 9);
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  assert(attempts == 2);
}
