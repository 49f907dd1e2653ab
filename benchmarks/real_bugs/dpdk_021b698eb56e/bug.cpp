// The MCS lock of DPDK. The holder learns its successor's node from a link, and hands the lock over by a store to that
// node. If the link does not bring the initialisation of the node with it, the initialisation may come later.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#if defined(MENDED) || defined(UPSTREAM)
constexpr auto linked = std::memory_order_release;
#else
constexpr auto linked = std::memory_order_relaxed;
#endif
#ifdef MENDED
constexpr auto followed = std::memory_order_acquire;
#else
constexpr auto followed = std::memory_order_relaxed;
#endif

struct Node {
  std::atomic<Node*> next;
  std::atomic<int> locked;
};

static std::atomic<Node*> tail{nullptr};

static void lock(Node& node) {
  node.locked.store(1, relaxed);
  node.next.store(nullptr, relaxed);
  Node* previous = tail.exchange(&node, std::memory_order_acq_rel);
  if (previous == nullptr) return;
  previous->next.store(&node, linked);  // upstream fix: release
  std::atomic_thread_fence(std::memory_order_acq_rel);
  while (node.locked.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

static void unlock(Node& node) {
  Node* next = node.next.load(followed);  // upstream fix of 2025: acquire
  if (next == nullptr) {
    Node* self = &node;
    if (tail.compare_exchange_strong(self, nullptr, std::memory_order_release, relaxed)) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    while ((next = node.next.load(followed)) == nullptr) std::this_thread::yield();  // upstream fix of 2025: acquire
  }
  next->locked.store(0, std::memory_order_release);
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
