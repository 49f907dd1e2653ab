// N threads take an MCS lock: a queue of nodes, each thread spinning on its own.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> waits{true};
};

std::atomic<Node*> tail;
int data;

void lock(Node& self) {
  Node* before = tail.exchange(&self, std::memory_order_acq_rel);
  if (before == nullptr) return;
  before->next.store(&self, std::memory_order_release);
  while (self.waits.load(std::memory_order_acquire)) {
  }
}

void unlock(Node& self) {
  Node* expected = &self;
  if (self.next.load(std::memory_order_acquire) == nullptr) {
    if (tail.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed)) return;
    while (self.next.load(std::memory_order_acquire) == nullptr) {
    }
  }
  self.next.load(std::memory_order_relaxed)->waits.store(false, std::memory_order_release);
}

int main(int, char** argv) {
  const int count = std::atoi(argv[1]);
  std::vector<Node> nodes(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (Node& node : nodes)
    threads.emplace_back([&node] {
      lock(node);
      ++data;
      unlock(node);
    });
  for (std::thread& thread : threads) thread.join();
  assert(data == count);
}
