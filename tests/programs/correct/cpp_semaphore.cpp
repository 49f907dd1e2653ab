// std::counting_semaphore lets in as many as it counts; binary_semaphore hands data over.
// Not under the default strategy, which meets a lost wake-up of libstdc++ 12: docs/third-party.md, "wake-ups that are
// lost".
// heddle: clean
// heddle-options: -s random
// heddle-defect: deadlock
#include <atomic>
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> places{2};
static std::binary_semaphore filled{0};
static std::atomic<int> inside{0};
static int data;

static void visit() {
  places.acquire();
  const int others = inside.fetch_add(1, std::memory_order_relaxed);
  assert(others < 2);
  inside.fetch_sub(1, std::memory_order_relaxed);
  places.release();
}

int main() {
  std::thread a(visit), b(visit), c([] {
    data = 8;
    filled.release();
  });
  visit();
  filled.acquire();
  assert(data == 8);
  assert(!filled.try_acquire());
  assert(!filled.try_acquire_for(std::chrono::milliseconds(1)));
  a.join();
  b.join();
  c.join();
}
