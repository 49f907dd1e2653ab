// The annotation says that try_lock failed, so it orders nothing.
// heddle: finds race
#include <atomic>
#include <thread>

extern "C" void __tsan_mutex_pre_lock(void*, unsigned);
extern "C" void __tsan_mutex_post_lock(void*, unsigned, int);
extern "C" int __tsan_mutex_pre_unlock(void*, unsigned);
extern "C" void __tsan_mutex_post_unlock(void*, unsigned);

namespace {
constexpr unsigned try_lock = 1U << 4, try_lock_failed = 1U << 5;  // as in sanitizer/tsan_interface.h

std::atomic<int> word;
int data;

bool try_to_lock() {
  __tsan_mutex_pre_lock(&word, try_lock);
  const bool is_locked = word.exchange(1, std::memory_order_relaxed) == 0;
  __tsan_mutex_post_lock(&word, is_locked ? try_lock : try_lock | try_lock_failed, 0);
  return is_locked;
}

void unlock() {
  __tsan_mutex_pre_unlock(&word, 0);
  word.store(0, std::memory_order_relaxed);
  __tsan_mutex_post_unlock(&word, 0);
}
}  // namespace

int main() {
  auto work = [] {
    const bool is_locked = try_to_lock();
    ++data;  // even if it is not
    if (is_locked) unlock();
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}
