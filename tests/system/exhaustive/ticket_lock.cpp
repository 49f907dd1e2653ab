// N threads take a ticket lock: one execution for each order of the tickets. RELAXED drops the acquire: a race.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef RELAXED
constexpr auto acquire = std::memory_order_relaxed;
#else
constexpr auto acquire = std::memory_order_acquire;
#endif

std::atomic<int> next, serving;
int data;

int main(int, char** argv) {
  const int count = std::atoi(argv[1]);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([] {
      const int mine = next.fetch_add(1, std::memory_order_relaxed);
      while (serving.load(acquire) != mine) {
      }
      ++data;
      serving.store(mine + 1, std::memory_order_release);
    });
  for (std::thread& thread : threads) thread.join();
  assert(data == count);
}
