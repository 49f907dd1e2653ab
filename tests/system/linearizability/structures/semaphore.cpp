// A semaphore that does not wait.
//
// 1: two threads can take the last permit. 2: try_acquire takes first, and gives back if there was none: another try
// may fail beside it.
#include <atomic>

#include "structure.hpp"

template <int broken>
class Semaphore {
 public:
  bool try_acquire() {
    int count = count_.load(std::memory_order_relaxed);
    if (broken == 1) {
      if (count == 0) return false;
      count_.store(count - 1, std::memory_order_relaxed);
      return true;
    }
    if (broken == 2) {
      if (count_.fetch_sub(1, std::memory_order_acquire) > 0) return true;
      count_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    while (count > 0)
      if (count_.compare_exchange_strong(count, count - 1, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    return false;
  }
  void release() { count_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<int> count_{1};
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<Semaphore<broken>>("semaphore", heddle::specification::semaphore(1))
      .operation("try_acquire", [](auto& semaphore) { return semaphore.try_acquire(); })
      .operation("release", [](auto& semaphore) { semaphore.release(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("try_acquire", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
