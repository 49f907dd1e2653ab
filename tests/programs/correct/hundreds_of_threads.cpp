// Three hundred threads: they count with an atomic, meet at a condition variable, and share a mutex.
// heddle: clean
// heddle-runs: 6
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static constexpr int threads = 300;

static std::mutex mutex;
static std::condition_variable everybody_is_here;
static int here;
static long turns;
static std::atomic<int> sum;

static void work(int number) {
  sum.fetch_add(number, std::memory_order_relaxed);
  {
    std::unique_lock lock(mutex);
    ++turns;
    if (++here == threads) everybody_is_here.notify_all();
    everybody_is_here.wait(lock, [] { return here == threads; });
  }
  assert(sum.load(std::memory_order_relaxed) == threads * (threads - 1) / 2);
  const std::lock_guard lock(mutex);
  ++turns;
}

int main() {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work, i);
  for (std::thread& thread : all) thread.join();
  assert(turns == 2 * threads);
}
