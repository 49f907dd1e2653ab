// The flag is tested without the mutex, so the notification can fall between the test and the wait.
// heddle: finds deadlock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static std::atomic<bool> ready{false};

int main() {
  std::thread setter([] {
    ready = true;  // should be set with the mutex held
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  while (!ready) changed.wait(lock);
  lock.unlock();
  setter.join();
}
