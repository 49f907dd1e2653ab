// Two critical sections, each well protected, with the decision in the first and the act in the second.
// heddle: finds assert
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int seats = 1;

static bool free_seats() {
  std::lock_guard guard(mutex);
  return seats > 0;
}

static void take() {
  std::lock_guard guard(mutex);
  --seats;
  assert(seats >= 0);
}

int main() {
  auto book = [] {
    if (free_seats()) take();
  };
  std::thread a(book), b(book);
  a.join();
  b.join();
}
