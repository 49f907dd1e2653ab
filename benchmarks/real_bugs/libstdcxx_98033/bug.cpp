// libstdc++ 12: std::counting_semaphore::acquire sleeps on a value of the counter that it read some time before.
#ifdef MENDED
#define _GLIBCXX_USE_POSIX_SEMAPHORE 1
#endif
#include <atomic>
#include <cassert>
#include <semaphore>
#include <thread>

int main() {
  std::counting_semaphore<4> semaphore(1);
  std::atomic<int> passed{0};
  auto work = [&] {
    semaphore.acquire();
    passed.fetch_add(1, std::memory_order_relaxed);
    semaphore.release();
    semaphore.acquire();
    semaphore.release();
  };
  std::thread first(work), second(work);
  work();
  first.join();
  second.join();
  assert(passed == 3);
}
