// The queue of Herlihy and Wing (Linearizability: a correctness condition for concurrent objects, 1990): push takes a
// place in an array and then writes its element; pop goes through the array until it finds one, and waits if there is
// none.
//
// 1: push takes its place by a relaxed operation: a pop that sees the place may miss an older element. 2: pop looks at
// an element, and removes it in a second step.
#include <atomic>
#include <optional>

#include "structure.hpp"

template <int broken>
class Queue {
 public:
  void push(int value) {
    const int place = end_.fetch_add(1, broken == 1 ? std::memory_order_relaxed : std::memory_order_release);
    places_[place].store(value, std::memory_order_release);
  }

  int pop() {
    for (;;)
      if (const int value = pop_once(); value != 0) return value;
  }

  std::optional<int> drain() {
    const int value = pop_once();
    return value == 0 ? std::nullopt : std::optional(value);
  }

 private:
  int pop_once() {
    const int end = end_.load(std::memory_order_acquire);
    for (int place = 0; place < end; ++place)
      if (const int value = take(places_[place]); value != 0) return value;
    return 0;
  }
  static int take(std::atomic<int>& place) {
    if (broken != 2) return place.exchange(0, std::memory_order_acquire);
    const int value = place.load(std::memory_order_acquire);
    if (value != 0) place.store(0, std::memory_order_relaxed);
    return value;
  }

  std::atomic<int> end_{0};
  std::atomic<int> places_[16] = {};
};

struct Sequential : heddle::specification::queue<int> {
  int pop() { return try_pop().value(); }
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<Queue<broken>>("queue", Sequential())
      .operation(
          "push", [](auto& queue, int value) { queue.push(value); }, heddle::fresh)
      .operation("pop", [](auto& queue) { return queue.pop(); })
      .waits_while([](const Sequential& queue) { return queue.empty(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .finally("drain", &Queue<broken>::drain, &Sequential::try_pop, heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
