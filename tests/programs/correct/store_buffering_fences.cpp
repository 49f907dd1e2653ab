// Store buffering with relaxed accesses and seq_cst fences between them, in three threads round a ring.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> flags[3];
static int seen[3];

static void work(int me) {
  flags[me].store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  seen[me] = flags[(me + 1) % 3].load(std::memory_order_relaxed);
}

int main() {
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join();
  b.join();
  c.join();
  assert(seen[0] + seen[1] + seen[2] > 0);
}
