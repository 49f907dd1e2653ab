// Hazard pointers: a reader announces the pointer by a releasing store, then checks that it is still current. The check
// may be performed before other threads see the announcement.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto announced = std::memory_order_seq_cst;
#else
constexpr auto announced = std::memory_order_release;
#endif

struct Node {
  int value;
  int check;
};

static std::atomic<Node*> shared{nullptr};
static std::atomic<Node*> hazard{nullptr};

static Node* protect() {
  while (true) {
    Node* node = shared.load(std::memory_order_acquire);
    hazard.store(node, announced);  // upstream fix: seq_cst
#ifdef MENDED
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    if (shared.load(std::memory_order_acquire) == node) return node;  // upstream fix: seq_cst
  }
}

static void read() {
  const Node* node = protect();
  assert(node->value == node->check);
  hazard.store(nullptr, std::memory_order_release);
}

static void replace(int value) {
  Node* old = shared.exchange(new Node{value, value}, std::memory_order_acq_rel);
#ifdef MENDED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  while (hazard.load(std::memory_order_acquire) == old) std::this_thread::yield();
  delete old;
}

int main() {
  shared = new Node{0, 0};
  std::thread reader([] {
    read();
    read();
  });
  replace(1);
  replace(2);
  reader.join();
  delete shared.load();
}
