// Dekker's mutual exclusion for two threads: a flag each ("I want to enter") and a turn for when both do. Both may
// enter if the flags are relaxed, because each may miss the other's flag: the classic store buffering.
// heddle: finds race
#include <atomic>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto flag_order = std::memory_order_seq_cst;
constexpr auto flag_lowered = std::memory_order_seq_cst;
#else
constexpr auto flag_order = std::memory_order_relaxed;
constexpr auto flag_lowered = std::memory_order_release;
#endif

static std::atomic<bool> wants[2];
static std::atomic<int> turn;
int visits;  // counted inside

static void enter(int self) {
  const int other = 1 - self;
  wants[self].store(true, flag_order);
  while (wants[other].load(flag_order)) {
    if (turn.load(std::memory_order_relaxed) == self) continue;
    wants[self].store(false, flag_order);
    while (turn.load(std::memory_order_relaxed) != self) std::this_thread::yield();
    wants[self].store(true, flag_order);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
}

static void leave(int self) {
  turn.store(1 - self, std::memory_order_relaxed);
  wants[self].store(false, flag_lowered);
}

static void visit(int self) {
  inserted_writes();
  enter(self);
  ++visits;
  leave(self);
}

int main() {
  std::thread first(visit, 0), second(visit, 1);
  first.join();
  second.join();
}
