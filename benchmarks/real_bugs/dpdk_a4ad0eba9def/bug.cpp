// A ring with a head and a tail for each role. A thread may see the head that another consumer has moved, but not the
// producers' tail that allowed it to: then the number of elements, a difference of unsigned numbers, wraps around.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
#ifdef MENDED
constexpr auto head_read = std::memory_order_acquire;
constexpr auto head_moved = std::memory_order_release;
#else
constexpr auto head_read = std::memory_order_relaxed;
constexpr auto head_moved = std::memory_order_relaxed;
#endif

constexpr uint32_t capacity = 4;

struct Side {
  std::atomic<uint32_t> head{0};
  std::atomic<uint32_t> tail{0};
};

class Ring {
 public:
  bool enqueue(int value) {
    uint32_t place = 0;
    if (!claim(producers_, consumers_, capacity, place)) return false;
    slots_[place % capacity].store(value, relaxed);
    finish(producers_, place);
    return true;
  }

  bool dequeue(int& value) {
    uint32_t place = 0;
    if (!claim(consumers_, producers_, 0, place)) return false;
    value = slots_[place % capacity].load(relaxed);
    finish(consumers_, place);
    return true;
  }

 private:
  static bool claim(Side& own, Side& opposite, uint32_t room, uint32_t& place) {
    place = own.head.load(head_read);  // upstream fix: acquire
    uint32_t available = 0;
    do {
      std::atomic_thread_fence(acquire);
      available = room + opposite.tail.load(acquire) - place;
      if (available == 0) return false;
    } while (!own.head.compare_exchange_strong(place, place + 1, head_moved, head_read));  // upstream fix: release
    assert(available <= capacity);
    return true;
  }

  static void finish(Side& own, uint32_t place) {
    while (own.tail.load(relaxed) != place) std::this_thread::yield();
    own.tail.store(place + 1, std::memory_order_release);
  }

  Side producers_, consumers_;
  std::atomic<int> slots_[capacity] = {};
};

static Ring ring;

static std::atomic<int> sum{0};

static void consume() {
  int got = 0;
  if (ring.dequeue(got)) {
    assert(got != 0);
    sum += got;
  }
}

int main() {
  // A thread first acts as a producer and then as a consumer, while another thread is a consumer.
  std::thread both([] {
    assert(ring.enqueue(1));
    consume();
    assert(ring.enqueue(2));
  });
  consume();
  consume();
  both.join();
  consume();
  consume();
  assert(sum == 3);
}
