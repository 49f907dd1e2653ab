// A sequence lock as Boehm writes it (MSPC 2012): readers take no lock, but read again if the counter was odd or has
// moved. If a writer makes the counter odd with a relaxed operation, it may start from data that is older than
// the counter, and leave the two halves of it different.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto making_odd = std::memory_order_acquire;
#else
constexpr auto making_odd = std::memory_order_relaxed;
#endif
constexpr auto relaxed = std::memory_order_relaxed;

static std::atomic<unsigned> sequence{0};
static std::atomic<int> left{0}, right{0};

static void update() {
  inserted_writes();
  unsigned even = sequence.load(relaxed);
  while (even % 2 != 0 || !sequence.compare_exchange_weak(even, even + 1, making_odd, relaxed)) {
    std::this_thread::yield();
    even = sequence.load(relaxed);
  }
  // Whoever sees one of these sees the odd counter as well.
  left.store(left.load(relaxed) + 1, std::memory_order_release);
  right.store(right.load(relaxed) + 1, std::memory_order_release);
  sequence.store(even + 2, std::memory_order_release);
}

static void check() {
  inserted_writes();
  while (true) {
    const unsigned before = sequence.load(std::memory_order_acquire);
    const int l = left.load(std::memory_order_acquire);
    const int r = right.load(std::memory_order_acquire);
    if (before % 2 == 0 && sequence.load(relaxed) == before) {
      assert(l == r);
      return;
    }
    std::this_thread::yield();
  }
}

int main() {
  std::thread writer(update);
  std::thread reader(check);
  update();
  writer.join();
  reader.join();
  check();
}
