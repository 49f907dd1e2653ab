// Two threads hold a shared lock, and each waits to have it alone.
// heddle: finds deadlock
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex left, right;

static void work(std::shared_mutex& mine, std::shared_mutex& other) {
  std::shared_lock reading(mine);
  std::unique_lock writing(other);
}

int main() {
  std::thread a([] { work(left, right); });
  std::thread b([] { work(right, left); });
  a.join();
  b.join();
}
