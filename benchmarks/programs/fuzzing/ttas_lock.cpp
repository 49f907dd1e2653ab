// A test-and-test-and-set lock. Each thread reads back what it wrote in its critical section.
// heddle: clean
// heddle-runs: 300
#include <atomic>
#include <cassert>
#include <thread>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif

static std::atomic<int> taken{0};
static int shared = 0;

static void lock() {
  do {
    while (taken.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
  } while (taken.exchange(1, std::memory_order_acquire) != 0);
}

int main() {
  std::thread all[THREADS];
  for (int i = 0; i < THREADS; ++i)
    all[i] = std::thread([i] {
      for (int round = 0; round < ROUNDS; ++round) {
        lock();
        shared = i;
        assert(shared == i);
        taken.store(0, std::memory_order_release);
      }
    });
  for (std::thread& thread : all) thread.join();
}
