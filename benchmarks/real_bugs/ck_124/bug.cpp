// A barrier that combines threads in groups. The threads that wait read the group's sense without a fence behind it,
// and the last one sets it behind a fence for stores alone.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;

struct Group {
  unsigned threads;
  std::atomic<unsigned> count{0};
  std::atomic<unsigned> sense{0};
};

static Group group{2, {}, {}};

static void full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
static void store_fence() { std::atomic_thread_fence(std::memory_order_release); }

static void wait_at_barrier(unsigned& sense) {
#ifdef MENDED
  full_fence();
#endif
  if (group.count.fetch_add(1, relaxed) == group.threads - 1) {
#ifdef MENDED
    full_fence();
#endif
    group.count.store(0, relaxed);
    store_fence();
    group.sense.store(~group.sense.load(relaxed), relaxed);
  } else {
#ifndef MENDED
    full_fence();
#endif
    while (group.sense.load(relaxed) != sense)  // upstream fix: seq_cst fence after this
      std::this_thread::yield();
#ifdef MENDED
    full_fence();
#endif
  }
  sense = ~sense;
}

static std::atomic<int> arrived[2];

static void work() {
  unsigned sense = ~0u;
  for (auto& round : arrived) {
    round.fetch_add(1, relaxed);
    wait_at_barrier(sense);
    assert(round.load(relaxed) == 2);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
}
