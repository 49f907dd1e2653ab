// A sequence lock without the writer's fence: new data can be seen before the number that says it is being written.
// Heddle says: the assertion fails. The reader takes half of an old pair and half of a new one.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>
#include <utility>

class SeqLock {
 public:
  void write(int a, int b) {  // one writer
    const unsigned before = sequence_.load(std::memory_order_relaxed);
    sequence_.store(before + 1, std::memory_order_relaxed);  // odd: being written
    // (1) is missing here: atomic_thread_fence(release), which keeps the stores below it below the store above it
    a_.store(a, std::memory_order_relaxed);
    b_.store(b, std::memory_order_relaxed);
    sequence_.store(before + 2, std::memory_order_release);  // (2) pairs with (3)
  }

  std::optional<std::pair<int, int>> try_read() const {
    const unsigned before = sequence_.load(std::memory_order_acquire);  // (3) pairs with (2)
    const int a = a_.load(std::memory_order_relaxed);
    const int b = b_.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);  // (4) pairs with (1)
    const unsigned after = sequence_.load(std::memory_order_relaxed);
    if (before != after || before % 2 == 1) return std::nullopt;
    return std::pair(a, b);
  }

 private:
  std::atomic<unsigned> sequence_{0};
  std::atomic<int> a_{0}, b_{0};
};

static SeqLock place;

int main() {
  std::thread writer([] {
    place.write(1, 1);
    place.write(2, 2);
  });
  std::thread reader([] {
    if (auto read = place.try_read()) assert(read->first == read->second);
  });
  writer.join();
  reader.join();
}
