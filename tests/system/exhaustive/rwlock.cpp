// W writers and R readers, one critical section each.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

int main(int, char** argv) {
  const int writers = std::atoi(argv[1]), readers = std::atoi(argv[2]);
  std::shared_mutex mutex;
  int written = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < writers; ++i)
    running.emplace_back([&] {
      const std::unique_lock guard(mutex);
      ++written;
    });
  for (int i = 0; i < readers; ++i)
    running.emplace_back([&] {
      const std::shared_lock guard(mutex);
      assert(written <= writers);
    });
  for (std::thread& thread : running) thread.join();
  assert(written == writers);
}
