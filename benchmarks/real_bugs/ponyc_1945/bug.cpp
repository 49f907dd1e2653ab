// A global list of free blocks. A thread counts itself in before it looks at the list; the thread that has taken a
// block off waits until the count is zero before it uses the block. If the count does not order what follows, a thread
// may count itself in late and still find the block at the head of the list.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#if defined(MENDED) || defined(UPSTREAM)
constexpr auto counted_in = std::memory_order_acquire;
#else
constexpr auto counted_in = std::memory_order_relaxed;
#endif
#ifdef MENDED
constexpr auto gave_up = std::memory_order_release;
#else
constexpr auto gave_up = std::memory_order_relaxed;
#endif

struct Block {
  std::atomic<Block*> next{nullptr};
  std::atomic<bool> is_taken{false};
  int size = 0;
};

static Block head;
static std::atomic<int> inside{0};

/// A block of at least this size, if there is one, off the list.
static Block* pull(int size) {
  inside.fetch_add(1, counted_in);  // upstream fix: acquire
  Block* block = nullptr;
  while (true) {
    block = head.next.load(std::memory_order_acquire);
    if (block == nullptr || size > block->size) {
      inside.fetch_sub(1, gave_up);
      return nullptr;
    }
    if (head.is_taken.exchange(true, std::memory_order_acquire)) {
      std::this_thread::yield();
      continue;
    }
    if (block == head.next.load(relaxed) && !block->is_taken.exchange(true, std::memory_order_acquire)) break;
    head.is_taken.store(false, relaxed);
    std::this_thread::yield();
  }
  head.next.store(block->next.load(relaxed), relaxed);
  head.is_taken.store(false, std::memory_order_release);
  inside.fetch_sub(1, std::memory_order_release);
  while (inside.load(relaxed) != 0) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
  return block;
}

static void use_block(int size) {
  Block* block = pull(size);
  if (block == nullptr) return;
  block->size = 0;  // it belongs to this thread alone
}

int main() {
  static Block first;
  first.size = 8;
  head.next.store(&first, relaxed);
  std::thread other([] { use_block(4); });
  use_block(4);
  other.join();
}
