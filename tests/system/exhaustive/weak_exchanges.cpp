// Weak compare-exchanges in loops and outside them. The first argument names what each of the threads does, the second
// is the number of threads. With STRONG the compare-exchanges are strong. Capital letters: a spurious failure matters,
// and the assertion or the data race needs one (two for "D").
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef STRONG
#define compare_exchange_weak compare_exchange_strong
#endif

struct Node {
  Node* next = nullptr;
};

std::atomic<int> counter;
std::atomic<int> flag, other_flag;
std::atomic<Node*> top;
int plain;

void add_after_load() {
  int seen = counter.load();
  while (!counter.compare_exchange_weak(seen, seen + 1)) {
  }
}

void add_with_load() {
  int seen;
  do {
    seen = counter.load(std::memory_order_relaxed);
  } while (!counter.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire));
}

void add_below_limit() {
  int seen = counter.load();
  do {
    if (seen == 2) return;
  } while (!counter.compare_exchange_weak(seen, seen + 1, std::memory_order_release, std::memory_order_relaxed));
}

void push_in_place(Node* node) {
  node->next = top.load(std::memory_order_relaxed);
  while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void push_with_store(Node* node) {
  Node* seen = top.load(std::memory_order_relaxed);
  do {
    node->next = seen;
  } while (!top.compare_exchange_weak(seen, node, std::memory_order_release, std::memory_order_relaxed));
}

void push_with_load(Node* node) {
  Node* seen;
  do {
    seen = top.load(std::memory_order_relaxed);
    node->next = seen;
  } while (!top.compare_exchange_weak(seen, node, std::memory_order_release, std::memory_order_relaxed));
}

void pop() {
  Node* node = top.load(std::memory_order_acquire);
  while (node != nullptr &&
         !top.compare_exchange_weak(node, node->next, std::memory_order_acquire, std::memory_order_acquire)) {
  }
}

void pop_with_load() {
  for (;;) {
    Node* node = top.load(std::memory_order_acquire);
    if (node == nullptr) return;
    Node* next = node->next;
    if (top.compare_exchange_weak(node, next, std::memory_order_acq_rel, std::memory_order_relaxed)) return;
  }
}

void fall_back() {
  int expected = 0;
  if (!flag.compare_exchange_weak(expected, 1)) assert(expected != 0);
}

void count_failures() {
  int seen = counter.load(), failures = 0;
  while (!counter.compare_exchange_weak(seen, seen + 1)) ++failures;
  assert(failures == 0);
}

void read_after_failure() {
  int seen = flag.load(std::memory_order_relaxed);
  while (!flag.compare_exchange_weak(seen, 1, std::memory_order_relaxed, std::memory_order_relaxed))
    if (plain == 2) return;
}

void fail_twice() {
  int expected = 0, other_expected = 0;
  const bool one = flag.compare_exchange_weak(expected, 0);
  const bool other = other_flag.compare_exchange_weak(other_expected, 0);
  assert(one || other);
}

void store_and_retry() {
  int expected = 0;
  while (!flag.compare_exchange_weak(expected, 0)) {
    other_flag.store(1);
    expected = 0;
  }
  assert(other_flag.load() == 0);
}

void run(char what) {
  switch (what) {
    case 'a': add_after_load(); break;
    case 'b': add_with_load(); break;
    case 'c': add_below_limit(); break;
    case 'd': push_in_place(new Node); break;
    case 'e': push_with_store(new Node); break;
    case 'f': push_with_load(new Node); break;
    case 'g': push_in_place(new Node), pop(); break;
    case 'h': push_with_store(new Node), pop_with_load(); break;
    case 'A': fall_back(); break;
    case 'B': count_failures(); break;
    case 'C': read_after_failure(); break;
    case 'D': fail_twice(); break;
    default: store_and_retry();
  }
}

int main(int, char** argv) {
  const char what = argv[1][0];
  const int count = std::atoi(argv[2]);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(run, what);
  if (what == 'C') plain = 1;
  for (std::thread& thread : threads) thread.join();
}
