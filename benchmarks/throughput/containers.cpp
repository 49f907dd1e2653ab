// A C++ program with containers, strings, exceptions and thread_local: what reset has to bring back.
#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::map<std::string, int> counts;
static std::atomic<int> failures{0};
thread_local int calls = 0;

static void work(int id) {
  for (int i = 0; i < 4; ++i) {
    ++calls;
    try {
      if (i == 2) throw std::runtime_error("every third");
      std::lock_guard lock(mutex);
      ++counts["thread " + std::to_string(id) + " step " + std::to_string(i)];
    } catch (const std::runtime_error&) {
      failures.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int id = 0; id < 2; ++id) threads.emplace_back(work, id);
  for (auto& thread : threads) thread.join();
  return counts.size() == 6 && failures == 2 ? 0 : 1;
}
