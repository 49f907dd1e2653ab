// Annotations for ThreadSanitizer at the address of a lock: of a class that begins with a mutex, and of a lock on a
// futex that the program wrote itself. The annotation is beside the lock and changes nothing of it.
// heddle: clean
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

extern "C" {
void AnnotateHappensBefore(const char*, int, const volatile void*);
void AnnotateHappensAfter(const char*, int, const volatile void*);
void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);
}

namespace {

class Account {
 public:
  void pay(int amount) {
    const std::lock_guard guard(mutex_);
    AnnotateHappensAfter(__FILE__, __LINE__, this);
    sum_ += amount;
    AnnotateHappensBefore(__FILE__, __LINE__, this);
  }
  int sum() const { return sum_; }

 private:
  std::mutex mutex_;
  int sum_ = 0;
};

// 0: free, 1: held, 2: held, and a thread may sleep.
class FutexLock {
 public:
  void lock() {
    __tsan_mutex_pre_lock(&word_, 0);
    int found = 0;
    if (!word_.compare_exchange_strong(found, 1))
      while (word_.exchange(2) != 0) syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 2, nullptr);
    __tsan_mutex_post_lock(&word_, 0, 0);
  }
  void unlock() {
    __tsan_mutex_pre_unlock(&word_, 0);
    if (word_.exchange(0) == 2) syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1);
    __tsan_mutex_post_unlock(&word_, 0);
  }

 private:
  std::atomic<int> word_{0};
};

}  // namespace

int main() {
  for (int round = 0; round < 2; ++round) {  // the second one may get the memory of the first
    auto account = std::make_unique<Account>();
    auto lock = std::make_unique<FutexLock>();
    int count = 0;
    auto work = [&] {
      account->pay(5);
      const std::lock_guard guard(*lock);
      ++count;
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    assert(account->sum() == 10);
    assert(count == 2);
  }
}
