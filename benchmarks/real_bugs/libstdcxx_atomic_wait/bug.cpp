// libstdc++ 12: std::atomic::notify_all first reads the number of waiting threads. A release store before it may not be
// visible yet to a thread that begins to wait.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto stored = std::memory_order_seq_cst;
#else
constexpr auto stored = std::memory_order_release;
#endif

static std::atomic<int> turn{0};

static void give(int next) {
  turn.store(next, stored);  // the cure in the program: seq_cst
  turn.notify_all();
}

int main() {
  std::thread other([] {
    turn.wait(0, std::memory_order_acquire);
    give(2);
  });
  give(1);
  turn.wait(1, std::memory_order_acquire);
  other.join();
  assert(turn.load() == 2);
}
