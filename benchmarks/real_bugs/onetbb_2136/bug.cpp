// A mutex whose waiters register in a list. The thread that unlocks looks at the list without a fence.
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <list>
#include <mutex>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;

struct Waiter {
  sem_t wake;
  Waiter() { sem_init(&wake, 0, 0); }
  ~Waiter() { sem_destroy(&wake); }
};

class Monitor {
 public:
  void register_waiter(Waiter& waiter) {
    {
      std::lock_guard hold(lock_);
      waiters_.push_back(&waiter);
      count_.store(static_cast<int>(waiters_.size()), relaxed);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  // Returns false if a notification is on its way, which the waiter has to take.
  bool unregister(Waiter& waiter) {
    std::lock_guard hold(lock_);
    const auto before = waiters_.size();
    waiters_.remove(&waiter);
    count_.store(static_cast<int>(waiters_.size()), relaxed);
    return waiters_.size() != before;
  }

  void notify_one() {
#ifdef MENDED
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    if (count_.load(relaxed) == 0)  // upstream fix: seq_cst fence before this
      return;
    Waiter* first = nullptr;
    {
      std::lock_guard hold(lock_);
      if (waiters_.empty()) return;
      first = waiters_.front();
      waiters_.pop_front();
      count_.store(static_cast<int>(waiters_.size()), relaxed);
      sem_post(&first->wake);
    }
  }

 private:
  std::mutex lock_;
  std::list<Waiter*> waiters_;
  std::atomic<int> count_{0};
};

class SleepingMutex {
 public:
  void lock() {
    while (held_.exchange(true)) {
      Waiter waiter;
      monitor_.register_waiter(waiter);
      if (!held_.load(relaxed) && monitor_.unregister(waiter)) continue;
      sem_wait(&waiter.wake);
    }
  }

  void unlock() {
    held_.exchange(false);
    monitor_.notify_one();
  }

 private:
  std::atomic<bool> held_{false};
  Monitor monitor_;
};

static SleepingMutex mutex;
static int counter = 0;

static void increment() {
  mutex.lock();
  ++counter;
  mutex.unlock();
}

int main() {
  std::thread other([] {
    increment();
    increment();
  });
  increment();
  increment();
  other.join();
  assert(counter == 4);
}
