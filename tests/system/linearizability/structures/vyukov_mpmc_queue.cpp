// The bounded queue of Vyukov for many producers and consumers: a ring, in which each place has a number that says
// whose turn it is. A push that has taken its place and not written it yet makes later calls fail, though the queue is
// neither full nor empty.
//
// 1: push hands its place over by a relaxed store. 2: pop takes its place by a store, so that two pops can take one. 3:
// pop hands its place over as if the ring had one place more: later pushes find the queue full.
#include <atomic>
#include <optional>

#include "structure.hpp"

template <int broken>
class Queue {
 public:
  bool try_push(int value) {
    unsigned place = pushed_.load(std::memory_order_relaxed);
    for (;;) {
      Place& taken = places_[place % capacity];
      const unsigned turn = taken.turn.load(std::memory_order_acquire);
      if (static_cast<int>(turn - place) < 0) return false;
      if (turn == place && pushed_.compare_exchange_strong(place, place + 1, std::memory_order_relaxed)) {
        taken.value.store(value, std::memory_order_relaxed);
        taken.turn.store(place + 1, broken == 1 ? std::memory_order_relaxed : std::memory_order_release);
        return true;
      }
      if (turn != place) place = pushed_.load(std::memory_order_relaxed);
    }
  }

  std::optional<int> try_pop() {
    unsigned place = popped_.load(std::memory_order_relaxed);
    for (;;) {
      Place& taken = places_[place % capacity];
      const unsigned turn = taken.turn.load(std::memory_order_acquire);
      if (static_cast<int>(turn - (place + 1)) < 0) return std::nullopt;
      if (turn == place + 1 && take(place)) {
        const int value = taken.value.load(std::memory_order_relaxed);
        taken.turn.store(place + capacity - (broken == 3 ? 1 : 0), std::memory_order_release);
        return value;
      }
      if (turn != place + 1) place = popped_.load(std::memory_order_relaxed);
    }
  }

 private:
  static constexpr unsigned capacity = 2;

  bool take(unsigned& place) {
    if (broken != 2) return popped_.compare_exchange_strong(place, place + 1, std::memory_order_relaxed);
    popped_.store(place + 1, std::memory_order_relaxed);
    return true;
  }

  struct Place {
    std::atomic<unsigned> turn;
    std::atomic<int> value{0};
  };
  Place places_[capacity] = {{0}, {1}};
  std::atomic<unsigned> pushed_{0};
  std::atomic<unsigned> popped_{0};
};

template <int broken>
int test(const Sizes& sizes) {
  return heddle::linearizable<Queue<broken>>("queue", heddle::specification::bounded_queue<int>(2))
      .operation(
          "push", [](auto& queue, int value) { return queue.try_push(value); }, heddle::fresh)
      .may_fail_with(false, heddle::beside_others)
      .operation("pop", [](auto& queue) { return queue.try_pop(); })
      .may_fail_with(std::optional<int>(), heddle::beside_others)
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .initially("push", 1)
      .finally("pop", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>, test<3>}); }
