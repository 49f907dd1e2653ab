// N threads enter a critical section R times each. Its executions are the orders in which they do.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int, char** argv) {
  const int threads = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  std::mutex mutex;
  int entered = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        const std::lock_guard guard(mutex);
        ++entered;
      }
    });
  for (std::thread& thread : running) thread.join();
  assert(entered == threads * rounds);
}
