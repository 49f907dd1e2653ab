// N consumers wait for an item each. A thread that wakes for no reason, or too late, finds none.
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int, char** argv) {
  const int consumers = std::atoi(argv[1]);
  std::mutex mutex;
  std::condition_variable condition;
  int items = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < consumers; ++i)
    running.emplace_back([&] {
      std::unique_lock lock(mutex);
#ifdef IF_INSTEAD_OF_WHILE
      if (items == 0) condition.wait(lock);
#else
      while (items == 0) condition.wait(lock);
#endif
      assert(items > 0);
      --items;
    });
  for (int i = 0; i < consumers; ++i) {
    {
      const std::lock_guard guard(mutex);
      ++items;
    }
#ifndef FORGETS_TO_SIGNAL
    condition.notify_one();
#endif
  }
  for (std::thread& thread : running) thread.join();
}
