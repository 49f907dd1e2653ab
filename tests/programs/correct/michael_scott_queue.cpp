// The Michael and Scott queue over a pool that is never re-used: two producers, one consumer, nothing lost or doubled.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
  int value = 0;
};

static Node pool[5];
static std::atomic<Node*> head{&pool[0]}, tail{&pool[0]};

static void push(Node* node, int value) {
  node->value = value;
  for (;;) {
    Node* last = tail.load(std::memory_order_acquire);
    Node* next = last->next.load(std::memory_order_acquire);
    if (next != nullptr) {
      tail.compare_exchange_weak(last, next, std::memory_order_release, std::memory_order_relaxed);
    } else if (last->next.compare_exchange_weak(next, node, std::memory_order_release, std::memory_order_relaxed)) {
      tail.compare_exchange_strong(last, node, std::memory_order_release, std::memory_order_relaxed);
      return;
    }
  }
}

static int pop() {
  for (;;) {
    Node* first = head.load(std::memory_order_acquire);
    Node* next = first->next.load(std::memory_order_acquire);
    if (next == nullptr) return 0;
    const int value = next->value;
    if (head.compare_exchange_weak(first, next, std::memory_order_acq_rel, std::memory_order_relaxed)) return value;
  }
}

int main() {
  std::thread a([] {
    push(&pool[1], 1);
    push(&pool[2], 2);
  });
  std::thread b([] { push(&pool[3], 4); });
  int sum = pop();
  a.join();
  b.join();
  for (int value = pop(); value != 0; value = pop()) sum += value;
  assert(sum == 7);
}
