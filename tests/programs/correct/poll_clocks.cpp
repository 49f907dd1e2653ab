// Loops that poll a clock until some time has passed. They end, although no thread sleeps.
// heddle: clean
// heddle-runs: 100
#include <sys/time.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::atomic<int> rounds{0};

void poll_clock_gettime() {
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    const std::lock_guard<std::mutex> guard(mutex);
    ++rounds;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 250000000L);
}

void poll_chrono() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) ++rounds;
}

void poll_time_of_day() {
  timeval begin{}, now{};
  gettimeofday(&begin, nullptr);
  do gettimeofday(&now, nullptr);
  while (now.tv_sec - begin.tv_sec < 3);
}

void poll_seconds() {
  const time_t begin = time(nullptr);
  while (time(nullptr) < begin + 5) {
  }
}

}  // namespace

int main() {
  std::thread other(poll_chrono);
  poll_clock_gettime();
  poll_time_of_day();
  poll_seconds();
  other.join();
  assert(rounds.load() > 2);
}
