// Atomics of 16 bytes: loads are never torn, and compare_exchange sees both halves.
// heddle: clean
// heddle-flags: -mcx16
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

struct alignas(16) Tagged {
  std::uint64_t value, tag;
};

static Tagged shared{0, 0};

static Tagged load() {
  Tagged result;
  __atomic_load(&shared, &result, __ATOMIC_ACQUIRE);
  return result;
}

static void work() {
  Tagged seen = load();
  for (;;) {
    assert(seen.value == seen.tag * 10);
    Tagged next{seen.value + 10, seen.tag + 1};
    if (__atomic_compare_exchange(&shared, &seen, &next, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) break;
  }
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(load().value == 20 && load().tag == 2);
}
