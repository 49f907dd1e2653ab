// A sequence lock around a cache entry. Neither the writer's first change of the sequence nor the reader's second read
// of it is ordered with the accesses to the entry.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;

class SequenceLock {
 public:
  void lock_for_writing() {
    unsigned even = sequence_.load(relaxed);
    while (even % 2 != 0 || !sequence_.compare_exchange_strong(even, even + 1)) {
      std::this_thread::yield();
      even = sequence_.load(relaxed);
    }
#ifdef MENDED
    std::atomic_thread_fence(std::memory_order_release);
#endif
  }

  void unlock() { sequence_.store(sequence_.load(relaxed) + 1, std::memory_order_release); }

  unsigned begin_reading() {
    unsigned even = sequence_.load(std::memory_order_acquire);
    while (even % 2 != 0) {
      std::this_thread::yield();
      even = sequence_.load(std::memory_order_acquire);
    }
    return even;
  }

  bool end_reading(unsigned before) {
#ifdef MENDED
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    return sequence_.load(std::memory_order_acquire) == before;  // upstream fix: acquire fence before this
  }

 private:
  std::atomic<unsigned> sequence_{0};
};

static SequenceLock lock;
static std::atomic<int> name{0}, value{0};

static void cache(int entry) {
  lock.lock_for_writing();
  name.store(entry, relaxed);  // upstream fix: release fence before this
  value.store(entry * 10, relaxed);
  lock.unlock();
}

static void look_up() {
  const unsigned before = lock.begin_reading();
  const int found = name.load(relaxed);
  const int result = value.load(relaxed);
  if (lock.end_reading(before)) assert(result == found * 10);
}

int main() {
  std::thread reader([] {
    look_up();
    look_up();
  });
  cache(1);
  cache(2);
  reader.join();
}
