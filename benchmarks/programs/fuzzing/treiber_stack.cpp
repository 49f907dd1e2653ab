// Treiber's stack. THREADS threads push ELEMENTS each and pop as many. No element may be lost or popped twice.
// The seeded bugs show only in a push that has failed FAILURES times:
//   STACK_BUG: the node is published without a release.
//   ODD_EVEN: the push stores the new top instead of exchanging it.
//   ODD_EVEN_2: the push exchanges the top, whatever it was.
// heddle: clean
// heddle-runs: 300
#include <atomic>
#include <cassert>
#include <thread>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ELEMENTS
#define ELEMENTS 2
#endif
#ifndef FAILURES
#define FAILURES 2
#endif

constexpr int threads = THREADS, elements = ELEMENTS;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto publish = std::memory_order_release;
#ifdef STACK_BUG
constexpr auto late_publish = std::memory_order_relaxed;
#else
constexpr auto late_publish = publish;
#endif

struct Node {
  int value;
  std::atomic<Node*> next;
};

static std::atomic<Node*> top{nullptr};
static Node nodes[threads * elements];  // no address comes back
static std::atomic<int> popped[threads * elements];

static void push(Node& node) {
  Node* old = top.load(relaxed);
  for (int failures = 0;; ++failures) {
    node.next.store(old, relaxed);
    const bool is_late = failures >= FAILURES;
#if defined ODD_EVEN
    if (is_late) return top.store(&node, publish);
#elif defined ODD_EVEN_2
    if (is_late) return (void)top.exchange(&node, publish);
#endif
    if (top.compare_exchange_strong(old, &node, is_late ? late_publish : publish, relaxed)) return;
  }
}

static Node* pop() {
  Node* node = top.load(std::memory_order_acquire);
  while (node != nullptr && !top.compare_exchange_strong(node, node->next.load(relaxed), std::memory_order_acquire,
                                                         std::memory_order_acquire)) {
  }
  return node;
}

int main() {
  std::thread all[threads];
  for (int i = 0; i < threads; ++i)
    all[i] = std::thread([i] {
      for (int j = 0; j < elements; ++j) {
        nodes[i * elements + j].value = i * elements + j;
        push(nodes[i * elements + j]);
      }
      for (int j = 0; j < elements; ++j)
        if (Node* node = pop()) popped[node->value].fetch_add(1, relaxed);
    });
  for (std::thread& thread : all) thread.join();
  while (Node* node = pop()) popped[node->value].fetch_add(1, relaxed);
  for (const std::atomic<int>& count : popped) assert(count.load(relaxed) == 1);
}
