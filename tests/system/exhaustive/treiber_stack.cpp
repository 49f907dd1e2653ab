// N threads push one element each and pop one each; nothing is lost. RELAXED publishes nodes without release: a race.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef RELAXED
constexpr auto release = std::memory_order_relaxed;
#else
constexpr auto release = std::memory_order_release;
#endif

struct Node {
  int value;
  Node* next;
};

std::atomic<Node*> top;

void push(Node* node) {
  node->next = top.load(std::memory_order_relaxed);
  while (!top.compare_exchange_weak(node->next, node, release, std::memory_order_relaxed)) {
  }
}

int pop() {
  Node* node = top.load(std::memory_order_acquire);
  while (node != nullptr &&
         !top.compare_exchange_weak(node, node->next, std::memory_order_acquire, std::memory_order_acquire)) {
  }
  return node == nullptr ? 0 : node->value;  // never freed: no ABA here
}

int main(int, char** argv) {
  const int count = std::atoi(argv[1]);
  std::vector<std::thread> threads;
  std::vector<int> got(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    threads.emplace_back([i, &got] {
      push(new Node{i + 1, nullptr});
      got[static_cast<std::size_t>(i)] = pop();
    });
  int sum = 0;
  for (std::thread& thread : threads) thread.join();
  for (int value : got) sum += value;
  assert(sum == count * (count + 1) / 2);
}
