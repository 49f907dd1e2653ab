// Michael and Scott's queue. PRODUCERS threads put ELEMENTS each, as many threads take as many. Each element comes out
// once.
//   BUGGY_QUEUE: a put that has failed FAILURES times stores the link to its node, whatever was there.
// heddle: clean
// heddle-runs: 300
#include <atomic>
#include <cassert>
#include <thread>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef ELEMENTS
#define ELEMENTS 2
#endif
#ifndef FAILURES
#define FAILURES 1
#endif

constexpr int producers = PRODUCERS, consumers = PRODUCERS, elements = ELEMENTS, all_elements = producers * elements;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
               release = std::memory_order_release;

struct Node {
  int value = -1;
  std::atomic<Node*> next{nullptr};
};

static Node nodes[all_elements + 1];
static std::atomic<Node*> head{&nodes[all_elements]}, tail{&nodes[all_elements]};
static std::atomic<int> taken[all_elements];

static void put(Node& node) {
  for (int failures = 0;;) {
    Node* last = tail.load(acquire);
    Node* next = last->next.load(acquire);
    if (next != nullptr) {
      tail.compare_exchange_strong(last, next, release, relaxed);
      continue;
    }
#ifdef BUGGY_QUEUE
    if (failures >= FAILURES)
      last->next.store(&node, release);
    else
#endif
        if (!last->next.compare_exchange_strong(next, &node, release, relaxed)) {
      ++failures;
      continue;
    }
    tail.compare_exchange_strong(last, &node, release, relaxed);
    return;
  }
}

static Node* take() {
  for (;;) {
    Node* first = head.load(acquire);
    Node* last = tail.load(acquire);
    Node* next = first->next.load(acquire);
    if (first == last) {
      if (next == nullptr) return nullptr;
      tail.compare_exchange_strong(last, next, release, relaxed);
      continue;
    }
    if (next == nullptr) continue;
    if (head.compare_exchange_strong(first, next, std::memory_order_acq_rel, relaxed)) return next;
  }
}

int main() {
  std::thread all[producers + consumers];
  for (int i = 0; i < producers; ++i)
    all[i] = std::thread([i] {
      for (int j = 0; j < elements; ++j) {
        nodes[i * elements + j].value = i * elements + j;
        put(nodes[i * elements + j]);
      }
    });
  for (int i = 0; i < consumers; ++i)
    all[producers + i] = std::thread([] {
      for (int j = 0; j < elements; ++j)
        if (const Node* node = take()) taken[node->value].fetch_add(1, relaxed);
    });
  for (std::thread& thread : all) thread.join();
  while (const Node* node = take()) taken[node->value].fetch_add(1, relaxed);
  for (const std::atomic<int>& count : taken) assert(count.load(relaxed) == 1);
}
