// A condition variable whose waiters wait while a word is 1. A thread that begins to wait sets the word to 1 again, and
// hides from a slower waiter that it was signalled.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#include "../futex.hpp"

class Condition {
 public:
  void wait(std::mutex& mutex, [[maybe_unused]] int thread) {
#ifdef MENDED
    const int token = thread;
#else
    const int token = 1;  // upstream fix: the number of the thread
#endif
    block_.store(token);
    mutex.unlock();
    while (block_.load() == token)  // upstream fix: the number of the thread
      futex_wait(block_, token);
    mutex.lock();
  }

  void broadcast() {
    block_.store(0);
    futex_wake_all(block_);
  }

 private:
  std::atomic<int> block_{0};
};

static std::mutex mutex;
static Condition condition;
static int stage = 0;

static void wait_for(int wanted, int thread) {
  mutex.lock();
  while (stage < wanted) condition.wait(mutex, thread);
  mutex.unlock();
}

static void enter(int next) {
  mutex.lock();
  stage = next;
  condition.broadcast();
  mutex.unlock();
}

int main() {
  std::thread first([] {
    wait_for(1, 11);
    enter(2);
  });
  std::thread second([] { wait_for(2, 12); });
  enter(1);
  first.join();
  second.join();
  assert(stage == 2);
}
