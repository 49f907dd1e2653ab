// A register of two words with a lock for many readers or one writer.
//
// 1: the writer does not keep others out. 2: the writer leaves by a relaxed store: the next reader may miss what it
// wrote.
#include <atomic>
#include <utility>

#include "structure.hpp"

template <int broken>
class Register {
 public:
  std::pair<int, int> load() {
    int readers = state_.load(std::memory_order_relaxed);
    do
      while (readers == writing) readers = state_.load(std::memory_order_relaxed);
    while (!state_.compare_exchange_strong(readers, readers + 1, std::memory_order_acquire, std::memory_order_relaxed));
    const std::pair<int, int> value(first_.load(std::memory_order_relaxed), second_.load(std::memory_order_relaxed));
    state_.fetch_sub(1, std::memory_order_release);
    return value;
  }

  void store(std::pair<int, int> value) {
    int expected = 0;
    while (!state_.compare_exchange_strong(expected, broken == 1 ? 0 : writing, std::memory_order_acquire,
                                           std::memory_order_relaxed))
      expected = 0;
    first_.store(value.first, std::memory_order_relaxed);
    second_.store(value.second, std::memory_order_relaxed);
    if (broken != 1) state_.store(0, broken == 2 ? std::memory_order_relaxed : std::memory_order_release);
  }

 private:
  static constexpr int writing = -1;
  std::atomic<int> state_{0};  ///< the number of readers, or writing
  std::atomic<int> first_{0};
  std::atomic<int> second_{0};
};

template <int broken>
int test(const Sizes& sizes) {
  using Value = std::pair<int, int>;
  return heddle::linearizable<Register<broken>>("register", heddle::specification::register_<Value>())
      .operation("store", [](auto& subject, const Value& value) { subject.store(value); }, {Value(1, 1), Value(2, 2)})
      .operation("load", [](auto& subject) { return subject.load(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("load")
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
