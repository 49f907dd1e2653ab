// A ring buffer whose producer publishes its index too weakly: the consumer reads a slot that it cannot see yet.
// heddle: finds race
// heddle-also: assert
// heddle-mentions: ring
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

class Ring {  // for one producer and one consumer
 public:
  bool push(int value) {
    const unsigned tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == slots_.size()) return false;  // (1) pairs with (4)
    slots_[tail % slots_.size()] = value;
    tail_.store(tail + 1, std::memory_order_relaxed);  // should be release
    return true;
  }

  bool pop(int& value) {
    const unsigned head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;  // (3) pairs with (2)
    value = slots_[head % slots_.size()];
    head_.store(head + 1, std::memory_order_release);  // (4) pairs with (1)
    return true;
  }

 private:
  std::array<int, 2> slots_{};
  std::atomic<unsigned> head_{0}, tail_{0};
};

static Ring ring;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 3; ++i) {
      while (!ring.push(i)) std::this_thread::yield();
    }
  });
  int value = 0;
  for (int expected = 1; expected <= 3; ++expected) {
    while (!ring.pop(value)) std::this_thread::yield();
    assert(value == expected);
  }
  producer.join();
}
