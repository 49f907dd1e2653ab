// Two threads try a lock once each. Each may be first, or come when the other has left, or fail.
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  const auto attempt = [&] {
    if (mutex.try_lock()) mutex.unlock();
  };
  std::thread other(attempt);
  attempt();
  other.join();
}
