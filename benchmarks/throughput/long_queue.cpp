// As many nodes as its argument says go through a queue, one after another: one thread allocates them, another one
// frees them. The first waits until there is room and never synchronises with the second.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
  unsigned long value = 0;
};

static constexpr unsigned long most_waiting = 64;
static std::atomic<unsigned long> taken;

static void put(Node* last, unsigned long nodes) {
  for (unsigned long i = 0; i < nodes; ++i) {
    while (taken.load(std::memory_order_relaxed) + most_waiting < i) std::this_thread::yield();
    Node* node = new Node;
    node->value = i;
    last->next.store(node, std::memory_order_release);
    last = node;
  }
}

static void take(Node* first, unsigned long nodes) {
  for (unsigned long i = 0; i < nodes; ++i) {
    Node* next;
    while ((next = first->next.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    assert(next->value == i);
    delete first;
    first = next;
    taken.store(i, std::memory_order_relaxed);
  }
  delete first;
}

int main(int argc, char** argv) {
  const unsigned long nodes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  Node* first = new Node;
  std::thread consumer(take, first, nodes), producer(put, first, nodes);
  consumer.join();
  producer.join();
}
