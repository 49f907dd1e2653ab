// A semaphore whose post looks for waiters after it has changed the value. By then another thread may have taken the
// semaphore for its own, and freed it.
#include <atomic>
#include <cassert>
#include <thread>

#include "../futex.hpp"

class Semaphore {
 public:
  void post() {
#ifdef MENDED
    int value = value_.load();
    int waiters = 0;
    do waiters = waiters_.load();
    while (!value_.compare_exchange_strong(value, value + 1 + (value < 0)));
    // Only the address is used from here on.
    if (value < 0 || waiters != 0) futex_wake(value_, 1);
#else
    value_.fetch_add(1);
    if (waiters_.load() != 0)  // upstream fix: read before the value changes
      futex_wake(value_, 1);
#endif
  }

  void wait() {
    while (!try_wait()) {
      waiters_.fetch_add(1);
#ifdef MENDED
      int none = 0;
      value_.compare_exchange_strong(none, -1);  // says that there is a waiter that came late
      futex_wait(value_, -1);
#else
      futex_wait(value_, 0);
#endif
      waiters_.fetch_sub(1);
    }
  }

 private:
  bool try_wait() {
    int value = value_.load();
    while (value > 0)
      if (value_.compare_exchange_strong(value, value - 1)) return true;
    return false;
  }

  std::atomic<int> value_{0};
  std::atomic<int> waiters_{0};
};

int main() {
  auto* request = new Semaphore;
  auto* answer = new Semaphore;
  std::thread other([&] {
    request->wait();
    delete request;
    answer->post();
  });
  request->post();
  answer->wait();
  delete answer;
  other.join();
}
