// A thread waits for a lock that main holds while main waits for the thread.
// heddle: finds deadlock
#include <mutex>
#include <thread>

static std::mutex mutex;

int main() {
  std::thread worker([] { std::lock_guard guard(mutex); });
  std::lock_guard guard(mutex);
  worker.join();
}
