// std::atomic_ref makes the accesses to a plain object atomic while it is shared; it is plain before and after.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  int counter = 0;
  double sum = 0;
  counter = 1;
  auto work = [&] {
    std::atomic_ref<int>(counter).fetch_add(1, std::memory_order_relaxed);
    std::atomic_ref<double>(sum).fetch_add(0.5, std::memory_order_relaxed);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 3 && sum == 1.0);
}
