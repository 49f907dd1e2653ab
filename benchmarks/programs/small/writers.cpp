// A program with concurrent writers, for the bound of PCTWM. DEPTH variables have two writers and a reader each. The
// assertion fails if every reader finds the last value of a writer. Another thread makes OTHERS reads that do not
// matter. So the bug has depth DEPTH, and the program has DEPTH + OTHERS communication events. With DEPTH 0, two
// threads write to one variable before store buffering, whose bug needs no communication.
// heddle: finds assert
// heddle-runs: 1000
#include <atomic>
#include <cassert>
#include <thread>

#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef OTHERS
#define OTHERS 0
#endif

constexpr auto relaxed = std::memory_order_relaxed;
constexpr int most = 3;
static std::atomic<int> x[most], unrelated;
static int seen[most];

static void write_twice(int variable, int value) {
  x[variable].store(value, relaxed);
  x[variable].store(value + 1, relaxed);
}

static void read_others() {
  for (int i = 0; i < OTHERS; ++i) (void)unrelated.load(relaxed);
}

/// The thread writes to a variable of its own, and reads that of the other one.
static void write_and_read(int thread) {
  unrelated.store(thread + 1, relaxed);
  x[thread].store(1, relaxed);
  seen[thread] = x[1 - thread].load(relaxed);
}

static bool depth_is_zero() {
  std::thread first(write_and_read, 0), second(write_and_read, 1);
  first.join();
  second.join();
  return seen[0] == 0 && seen[1] == 0;
}

static bool readers_find_last_values() {
  std::thread all[3 * most + 1];
  for (int i = 0; i < DEPTH; ++i) {
    all[3 * i] = std::thread(write_twice, i, 1);
    all[3 * i + 1] = std::thread(write_twice, i, 3);
    all[3 * i + 2] = std::thread([i] { seen[i] = x[i].load(relaxed); });
  }
  all[3 * most] = std::thread(read_others);
  for (std::thread& thread : all)
    if (thread.joinable()) thread.join();
  for (int i = 0; i < DEPTH; ++i)
    if (seen[i] != 2 && seen[i] != 4) return false;
  return true;
}

int main() {
  const bool shows = DEPTH == 0 ? depth_is_zero() : readers_find_last_values();
  assert(!shows);
}
