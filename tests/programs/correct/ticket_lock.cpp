// A ticket lock: threads spin until their number comes up, in order.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<unsigned> next{0}, serving{0};
static int counter;

static void work() {
  for (int i = 0; i < 2; ++i) {
    const unsigned mine = next.fetch_add(1, std::memory_order_relaxed);
    while (serving.load(std::memory_order_acquire) != mine) {
    }
    ++counter;
    serving.store(mine + 1, std::memory_order_release);
  }
}

int main() {
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(counter == 6);
}
