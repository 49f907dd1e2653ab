// The queue of the kernel's queued spinlock: a thread initialises its node, exchanges it in as the tail, and links it
// behind the one before. A relaxed exchange lets the initialisation come after what the neighbours write.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#ifdef MENDED
constexpr auto tail_exchanged = std::memory_order_acq_rel;
#else
constexpr auto tail_exchanged = std::memory_order_relaxed;
#endif

struct Node {
  std::atomic<Node*> next;
  std::atomic<bool> locked;
};

static std::atomic<Node*> tail{nullptr};

static void lock(Node& node) {
  node.locked.store(false, relaxed);
  node.next.store(nullptr, relaxed);
  Node* previous = tail.exchange(&node, tail_exchanged);  // upstream fix: release
  if (previous == nullptr) {
    std::atomic_thread_fence(std::memory_order_acquire);
    return;
  }
  previous->next.store(&node, std::memory_order_release);
  while (!node.locked.load(std::memory_order_acquire)) std::this_thread::yield();
}

static void unlock(Node& node) {
  Node* next = node.next.load(std::memory_order_acquire);
  if (next == nullptr) {
    Node* self = &node;
    if (tail.compare_exchange_strong(self, nullptr, std::memory_order_release, relaxed)) return;
    while ((next = node.next.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
  }
  next->locked.store(true, std::memory_order_release);
}

static Node nodes[2];
static int counter = 0;

static void increment(Node& node) {
  lock(node);
  ++counter;
  unlock(node);
}

int main() {
  std::thread other([] {
    increment(nodes[1]);
    increment(nodes[1]);
  });
  increment(nodes[0]);
  increment(nodes[0]);
  other.join();
  assert(counter == 4);
}
