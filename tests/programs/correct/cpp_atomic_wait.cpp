// atomic::wait returns when the value has changed, also if the change and the notification came first.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> stage{0};            // waited for through a futex of its own
static std::atomic<unsigned char> small{0};  // too small for a futex: the library's waiter pool
static int data;

int main() {
  std::thread worker([] {
    stage.wait(0, std::memory_order_acquire);
    assert(data == 1);
    data = 2;
    small.store(1, std::memory_order_release);
    small.notify_all();
  });
  data = 1;
  stage.store(1, std::memory_order_release);
  stage.notify_one();
  small.wait(0, std::memory_order_acquire);
  assert(data == 2);
  worker.join();
}
