// A ring whose reader takes two elements at a time, and gives them back by a relaxed store. The line that reads an
// element runs for every element, and the story is about the element that raced.
// heddle: finds race
// heddle-mentions: slots
#include <atomic>
#include <thread>

static constexpr unsigned batch = 2;
static long slots[batch];
static std::atomic<unsigned> filled{0}, emptied{0};

static void put(long value) {
  const unsigned at = filled.load(std::memory_order_relaxed);
  while (at - emptied.load(std::memory_order_acquire) == batch) std::this_thread::yield();
  slots[at % batch] = value;
  filled.store(at + 1, std::memory_order_release);
}

static long take_batch() {
  const unsigned at = emptied.load(std::memory_order_relaxed);
  while (filled.load(std::memory_order_acquire) != at + batch) std::this_thread::yield();
  long sum = 0;
  for (const long& slot : slots) sum += slot;
  emptied.store(at + batch, std::memory_order_relaxed);
  return sum;
}

int main() {
  long sum = 0;
  std::thread reader([&] {
    for (int i = 0; i < 2; ++i) sum += take_batch();
  });
  for (long i = 0; i < 4; ++i) put(i);
  reader.join();
  return sum < 0;
}
