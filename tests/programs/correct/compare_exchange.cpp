// compare_exchange: exactly one strong one succeeds; a weak one may fail for no reason, so it stands in a loop.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> winner{0}, maximum{0};

static bool compete(int me) {
  int value = maximum.load(std::memory_order_relaxed);
  while (value < me && !maximum.compare_exchange_weak(value, me, std::memory_order_relaxed)) {
  }
  int expected = 0;
  const bool won = winner.compare_exchange_strong(expected, me, std::memory_order_acq_rel, std::memory_order_acquire);
  assert(won == (expected == 0));
  return won;
}

int main() {
  bool won[2];
  std::thread a([&] { won[0] = compete(1); });
  std::thread b([&] { won[1] = compete(2); });
  a.join();
  b.join();
  assert(won[0] != won[1]);
  assert(winner == (won[0] ? 1 : 2) && maximum == 2);
}
