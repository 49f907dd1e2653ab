// Three threads pass a token on, in loops that wait. The last one must see what the first one wrote; BROKEN: it need
// not.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> token{0}, data{0};

static void pass(int from, std::memory_order order) {
  while (token.load(order) != from) {
  }
  token.store(from + 1, std::memory_order_release);
}

int main() {
#ifdef BROKEN
  constexpr auto order = std::memory_order_relaxed;
#else
  constexpr auto order = std::memory_order_acquire;
#endif
  std::thread second([] { pass(1, order); });
  std::thread third([] {
    pass(2, order);
    assert(data.load(std::memory_order_relaxed) == 1);
  });
  data.store(1, std::memory_order_relaxed);
  token.store(1, std::memory_order_release);
  second.join();
  third.join();
}
