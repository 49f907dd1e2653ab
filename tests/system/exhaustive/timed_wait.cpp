// A thread that looks again after a time-out; no thread signals.
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable condition;
  bool stop = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    while (!stop) condition.wait_for(lock, std::chrono::seconds(1));
  });
  {
    const std::lock_guard guard(mutex);
    stop = true;
  }
  other.join();
}
