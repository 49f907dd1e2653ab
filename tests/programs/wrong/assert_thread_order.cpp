// Threads do not run in the order in which they were started.
// heddle: finds assert
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<int> order;

static void note(int me) {
  std::lock_guard guard(mutex);
  order.push_back(me);
}

int main() {
  std::thread a(note, 1), b(note, 2), c(note, 3);
  a.join();
  b.join();
  c.join();
  assert((order == std::vector{1, 2, 3}));
}
