// N threads take a test-and-test-and-set lock. RELAXED drops the release: a race.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef RELAXED
constexpr auto release = std::memory_order_relaxed;
#else
constexpr auto release = std::memory_order_release;
#endif

std::atomic<int> locked;
int data;

void lock() {
  for (;;) {
    while (locked.load(std::memory_order_relaxed) != 0) {
    }
    if (locked.exchange(1, std::memory_order_acquire) == 0) return;
  }
}

int main(int, char** argv) {
  const int count = std::atoi(argv[1]);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([] {
      lock();
      ++data;
      locked.store(0, release);
    });
  for (std::thread& thread : threads) thread.join();
  assert(data == count);
}
