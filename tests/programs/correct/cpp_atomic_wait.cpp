// atomic::wait returns when the value has changed, also if the change and the notification came first.
// heddle: clean
// (seq_cst throughout: with release and acquire libstdc++ 12 loses wake-ups, see wrong/deadlock_inside_atomic_wait.cpp)
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> stage{0};            // waited for through a futex of its own
static std::atomic<unsigned char> small{0};  // too small for a futex: the library's waiter pool
static int data;

int main() {
  std::thread worker([] {
    stage.wait(0);
    assert(data == 1);
    data = 2;
    small.store(1);
    small.notify_all();
  });
  data = 1;
  stage.store(1);
  stage.notify_one();
  small.wait(0);
  assert(data == 2);
  worker.join();
}
