// Every execution fails, after two time-outs of one thread. The exhaustive search leaves the second one out, so it
// proves nothing.
// heddle: finds exit-status
// heddle-runs: 100
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  pollfd file{ends[0], POLLIN, 0};
  poll(&file, 1, 10);
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  condition.wait_for(lock, std::chrono::milliseconds(10), [] { return false; });
  return 1;
}
