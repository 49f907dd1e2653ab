// A bipartite buffer with one producer and one consumer. Records are contiguous, so the producer goes back to the start
// when the end has no room for one. FIXED publishes with a release; without it the consumer races with the producer.
// heddle: finds race
// heddle-also: assert
#include <atomic>
#include <cassert>
#include <thread>

constexpr int size = 8, records = 4;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire;
#ifdef FIXED
constexpr auto publish = std::memory_order_release;
#else
constexpr auto publish = std::memory_order_relaxed;
#endif

static std::atomic<int> read_at{0}, write_at{0}, invalid_from{size};
static int data[size];

/// Where a record of this length fits, or -1.
static int reserve(int length) {
  const int w = write_at.load(relaxed), r = read_at.load(acquire);
  if (w >= r) {
    if (size - w > length || (size - w == length && r != 0)) return w;
    return r > length ? 0 : -1;
  }
  return r - w > length ? w : -1;
}

static void commit(int at, int length) {
  const int w = write_at.load(relaxed);
  if (at == 0 && w != 0) invalid_from.store(w, publish);
  write_at.store((at + length) % size, publish);
}

int main() {
  std::thread producer([] {
    for (int i = 1; i <= records; ++i) {
      const int length = 1 + i % 3;
      int at = reserve(length);
      for (int tries = 0; at < 0 && tries < 3; ++tries) at = reserve(length);
      if (at < 0) return;
      for (int j = 0; j < length; ++j) data[at + j] = i;
      commit(at, length);
    }
  });
  std::thread consumer([] {
    int newest = 0;
    for (int tries = 0; tries < 6; ++tries) {
      int r = read_at.load(relaxed);
      const int w = write_at.load(acquire);
      if (r == w) continue;
      if (w < r && r == invalid_from.load(acquire)) r = 0;
      if (r == w) continue;
      assert(data[r] >= newest);
      newest = data[r];
      read_at.store((r + 1) % size, std::memory_order_release);
    }
  });
  producer.join();
  consumer.join();
}
