// A lock attempt that may time out is taken for one that may not.
// heddle: finds race
// heddle-mentions: guarded
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

static std::timed_mutex mutex;
static int guarded;

static void work() {
  std::unique_lock lock(mutex, std::chrono::seconds(1));
  ++guarded;  // even if lock.owns_lock() is false
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", guarded);
}
