// Frames in shared memory behind a generation number, which is odd while a frame is written. The barriers stand behind
// the accesses to the number that they ought to stand before.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;

static std::atomic<unsigned> generation{0};
static std::atomic<int> width{0}, height{0};

static void publish(int size) {
  const unsigned before = generation.load(relaxed);
  generation.store(before + 1, relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  width.store(size, relaxed);
  height.store(size * 2, relaxed);
#ifdef MENDED
  std::atomic_thread_fence(std::memory_order_release);
  generation.store(before + 2, relaxed);
#else
  generation.store(before + 2, relaxed);                     // upstream fix: release fence before this
  std::atomic_thread_fence(std::memory_order_release);       // upstream fix
#endif
}

static void read() {
  const unsigned before = generation.load(relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (before % 2 != 0) return;
  const int seen_width = width.load(relaxed);
  const int seen_height = height.load(relaxed);
#ifdef MENDED
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_whole = generation.load(relaxed) == before;
#else
  const bool is_whole = generation.load(relaxed) == before;  // upstream fix: acquire fence before this
  std::atomic_thread_fence(std::memory_order_acquire);       // upstream fix
#endif
  if (is_whole) assert(seen_height == seen_width * 2 && seen_width * 2 == static_cast<int>(before) * 10);
}

int main() {
  std::thread writer([] {
    publish(10);
    publish(20);
  });
  read();
  read();
  writer.join();
}
