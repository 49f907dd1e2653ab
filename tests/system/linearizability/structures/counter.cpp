// A counter.
//
// 1: two threads can read the same value. 2: get reads a copy, which increment writes later.
#include <atomic>

#include "structure.hpp"

template <int broken>
class Counter {
 public:
  int increment() {
    if (broken == 1) {
      const int value = value_.load(std::memory_order_relaxed);
      value_.store(value + 1, std::memory_order_relaxed);
      return value;
    }
    const int value = value_.fetch_add(1, std::memory_order_relaxed);
    if (broken == 2) copy_.store(value + 1, std::memory_order_relaxed);
    return value;
  }
  int get() const { return (broken == 2 ? copy_ : value_).load(std::memory_order_relaxed); }

 private:
  std::atomic<int> value_{0};
  std::atomic<int> copy_{0};
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<Counter<broken>>("counter", heddle::specification::counter())
      .operation("increment", [](auto& counter) { return counter.increment(); })
      .operation("get", [](auto& counter) { return counter.get(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("get")
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
