// A ring buffer with one producer and one consumer that add and remove several objects at a time. FIXED publishes with
// a release.
// heddle: finds race
// heddle-also: assert
#include <atomic>
#include <cassert>
#include <thread>

constexpr int size = 6;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire;
#ifdef FIXED
constexpr auto publish = std::memory_order_release;
#else
constexpr auto publish = std::memory_order_relaxed;
#endif

static std::atomic<int> read_at{0}, write_at{0};
static int slots[size];

static int distance(int from, int to) { return (to - from + size) % size; }

int main() {
  std::thread producer([] {
    int next = 1;
    for (int round = 0; round < 4; ++round) {
      const int w = write_at.load(relaxed), r = read_at.load(acquire);
      const int count = 1 + round % 2;
      if (size - 1 - distance(r, w) < count) continue;
      for (int i = 0; i < count; ++i) slots[(w + i) % size] = next++;
      write_at.store((w + count) % size, publish);
    }
  });
  std::thread consumer([] {
    int expected = 1;
    for (int round = 0; round < 4; ++round) {
      const int r = read_at.load(relaxed), w = write_at.load(acquire);
      const int count = distance(r, w) < 2 ? distance(r, w) : 2;
      for (int i = 0; i < count; ++i) assert(slots[(r + i) % size] == expected++);
      read_at.store((r + count) % size, std::memory_order_release);
    }
  });
  producer.join();
  consumer.join();
}
