// A bounded queue in which each slot says whose turn it is. The slot's turn is read by relaxed loads, so the element
// behind it need not be there yet.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#ifdef MENDED
constexpr auto turn_read = std::memory_order_acquire;
#else
constexpr auto turn_read = std::memory_order_relaxed;
#endif

class Queue {
 public:
  Queue() {
    for (unsigned i = 0; i < capacity; ++i) {
      slots_[i].push_turn.store(i, relaxed);
      slots_[i].pop_turn.store(~0u, relaxed);
    }
  }

  bool push(int value) {
    unsigned tail = tail_.load(relaxed);
    while (true) {
      Slot& slot = slots_[tail % capacity];
      if (slot.push_turn.load(turn_read) != tail)  // upstream fix: acquire
        return false;
      if (tail_.compare_exchange_weak(tail, tail + 1, relaxed)) {
        slot.value = value;
        slot.pop_turn.store(tail, std::memory_order_release);
        return true;
      }
    }
  }

  bool pop(int& value) {
    unsigned head = head_.load(relaxed);
    while (true) {
      Slot& slot = slots_[head % capacity];
      if (slot.pop_turn.load(turn_read) != head)  // upstream fix: acquire
        return false;
      if (head_.compare_exchange_weak(head, head + 1, relaxed)) {
        value = slot.value;
        slot.push_turn.store(head + capacity, std::memory_order_release);
        return true;
      }
    }
  }

 private:
  static constexpr unsigned capacity = 2;
  struct Slot {
    std::atomic<unsigned> push_turn, pop_turn;
    int value = 0;
  };
  Slot slots_[capacity];
  std::atomic<unsigned> tail_{0}, head_{0};
};

int main() {
  Queue queue;
  std::thread producer([&] {
    for (int i = 1; i <= 3; ++i)
      while (!queue.push(i)) std::this_thread::yield();
  });
  for (int i = 1; i <= 3; ++i) {
    int value = 0;
    while (!queue.pop(value)) std::this_thread::yield();
    assert(value == i);
  }
  producer.join();
}
