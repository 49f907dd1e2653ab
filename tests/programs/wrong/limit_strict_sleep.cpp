// With strict time, no time passes while a thread runs. Main sleeps beside a thread that never waits.
// heddle: finds limit
// heddle-runs: 5
// heddle-options: --time-model strict --max-events 5000
// heddle-mentions: while T0 sleeps
#include <atomic>
#include <chrono>
#include <thread>

int main() {
  std::atomic<unsigned> count{0};
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    while (!stop.load()) ++count;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stop.store(true);
  worker.join();
}
