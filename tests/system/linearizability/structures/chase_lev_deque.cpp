// The deque of Chase and Lev (Dynamic circular work-stealing deque, 2005) with the orders of Le, Pop, Cohen and Zappa
// Nardelli (Correct and efficient work-stealing for weak memory models, 2013). It does not grow.
//
// 1: take has no fence between its store to the bottom and its load of the top. 2: push publishes an element by relaxed
// stores. 3: steal takes the element after it has moved the top, without looking whether it did.
#include <atomic>
#include <optional>

#include "structure.hpp"

template <int broken>
class Deque {
 public:
  void push(int value) {
    const int bottom = bottom_.load(std::memory_order_relaxed);
    elements_[bottom].store(value, std::memory_order_relaxed);
    if (broken != 2) std::atomic_thread_fence(std::memory_order_release);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
  }

  std::optional<int> take() {
    const int bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_relaxed);
    if (broken != 1) std::atomic_thread_fence(std::memory_order_seq_cst);
    int top = top_.load(std::memory_order_relaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return std::nullopt;
    }
    const int value = elements_[bottom].load(std::memory_order_relaxed);
    if (top < bottom) return value;
    // The last element, which a thief may take, too.
    const bool is_ours =
        top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    if (is_ours) return value;
    return std::nullopt;
  }

  std::optional<int> steal() {
    for (;;) {
      int top = top_.load(std::memory_order_acquire);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (top >= bottom_.load(std::memory_order_acquire)) return std::nullopt;
      const int value = elements_[top].load(std::memory_order_relaxed);
      if (broken == 3) {
        top_.store(top + 1, std::memory_order_seq_cst);
        return value;
      }
      if (top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        return value;
    }
  }

 private:
  std::atomic<int> top_{0};
  std::atomic<int> bottom_{0};
  std::atomic<int> elements_[12] = {};
};

template <int broken>
int test(const Sizes& sizes) {
  using Sequential = heddle::specification::deque<int>;
  using Subject = Deque<broken>;
  return heddle::linearizable<Subject>("deque", Sequential())
      .operation("push", &Subject::push, &Sequential::push_back, heddle::fresh)
      .only_by({"owner", 1})
      .operation("take", &Subject::take, &Sequential::try_pop_back)
      .only_by({"owner", 1})
      .operation("steal", &Subject::steal, &Sequential::try_pop_front)
      .only_by({"thief"})
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .initially("push", 2)
      .finally("steal", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>, test<3>}); }
