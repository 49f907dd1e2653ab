// std::shared_mutex: readers share, a writer is alone.
// heddle: clean
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int left, right;

static void look() {
  std::shared_lock guard(mutex);
  assert(left == right);
}

int main() {
  std::thread a(look), b(look);
  std::thread writer([] {
    std::unique_lock guard(mutex);
    ++left;
    ++right;
    guard.unlock();
    if (mutex.try_lock()) {
      left = right = 5;
      mutex.unlock();
    }
  });
  if (mutex.try_lock_shared()) {
    assert(left == right);
    mutex.unlock_shared();
  }
  a.join();
  b.join();
  writer.join();
}
