// A counting semaphore that sleeps while its counter keeps the value that it had before the attempt. The attempt may
// have failed although the counter was positive, because another thread was faster.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

class Semaphore {
 public:
  explicit Semaphore(int count) : count_(count) {}

  void acquire() {
    while (true) {
#ifdef MENDED
      if (try_acquire()) return;
      futex_wait(count_, 0);
#else
      const int before = count_.load();  // upstream fix: sleep while the counter is zero
      if (try_acquire()) return;
      futex_wait(count_, before);  // upstream fix
#endif
    }
  }

  void release() {
    if (count_.fetch_add(1) == 0) futex_wake_all(count_);
  }

 private:
  bool try_acquire() {
    int count = count_.load();
    return count > 0 && count_.compare_exchange_strong(count, count - 1);
  }

  std::atomic<int> count_;
};

int main() {
  Semaphore semaphore(1);
  std::atomic<int> passed{0};
  auto pass = [&] {
    semaphore.acquire();
    passed.fetch_add(1);
  };
  std::thread first(pass), second(pass);
  semaphore.release();
  first.join();
  second.join();
  assert(passed.load() == 2);
}
