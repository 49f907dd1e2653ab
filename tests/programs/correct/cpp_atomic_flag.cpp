// std::atomic_flag: a spinlock, and a gate through wait, test and notify.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic_flag lock, gate;
static int counter;

static void work() {
  gate.wait(false);
  while (lock.test_and_set(std::memory_order_acquire)) lock.wait(true, std::memory_order_relaxed);
  ++counter;
  lock.clear(std::memory_order_release);
  lock.notify_one();
}

int main() {
  std::thread a(work), b(work);
  assert(!gate.test());
  gate.test_and_set();
  gate.notify_all();
  a.join();
  b.join();
  assert(counter == 2);
}
