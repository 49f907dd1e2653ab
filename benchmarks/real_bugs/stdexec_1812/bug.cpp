// A queue with one consumer whose empty state is a "nil" that is no node: it has a link of its own.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<void*> next{nullptr};
  int id = 0;
};

#ifdef MENDED
// Vyukov's queue, with a whole node for the empty state.
class Queue {
 public:
  void push(Node* node) {
    node->next.store(nullptr, std::memory_order_relaxed);
    Node* previous = back_.exchange(node, std::memory_order_acq_rel);
    previous->next.store(node, std::memory_order_release);
  }

  Node* pop() {
    Node* front = front_;
    auto* next = static_cast<Node*>(front->next.load(std::memory_order_acquire));
    if (front == &nil_) {
      if (next == nullptr) return nullptr;
      front_ = front = next;
      next = static_cast<Node*>(front->next.load(std::memory_order_acquire));
    }
    if (next != nullptr) {
      front_ = next;
      return front;
    }
    if (front != back_.load(std::memory_order_acquire)) return nullptr;
    push(&nil_);
    next = static_cast<Node*>(front->next.load(std::memory_order_acquire));
    if (next == nullptr) return nullptr;
    front_ = next;
    return front;
  }

 private:
  Node nil_;
  std::atomic<Node*> back_{&nil_};
  Node* front_ = &nil_;
};
#else
class Queue {
 public:
  void push(Node* node) {
    node->next.store(nullptr, std::memory_order_relaxed);
    void* previous = back_.exchange(node, std::memory_order_acq_rel);
    if (previous == &nil_)
      nil_.store(node, std::memory_order_release);
    else
      static_cast<Node*>(previous)->next.store(node, std::memory_order_release);
  }

  Node* pop() {
    if (front_ == &nil_) {
      Node* first = nil_.load(std::memory_order_acquire);
      if (first == nullptr) return nullptr;
      front_ = first;
    }
    auto* front = static_cast<Node*>(front_);
    void* next = front->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      push_nil();
      while ((next = front->next.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    }
    front_ = next;
    return front;
  }

 private:
  void push_nil() {
    nil_.store(nullptr, std::memory_order_relaxed);
    auto* previous = static_cast<Node*>(back_.exchange(&nil_, std::memory_order_acq_rel));
    previous->next.store(&nil_, std::memory_order_release);
  }

  std::atomic<Node*> nil_{nullptr};
  std::atomic<void*> back_{&nil_};
  void* front_ = &nil_;
};
#endif

int main() {
  Queue queue;
  Node nodes[4];
  for (int i = 0; i < 4; ++i) nodes[i].id = 1 << i;
  std::thread first([&] {
    queue.push(&nodes[0]);
    queue.push(&nodes[1]);
  });
  std::thread second([&] { queue.push(&nodes[2]); });
  int seen = 0;
  auto take = [&] {
    Node* node = queue.pop();
    if (node == nullptr) return false;
    assert((seen & node->id) == 0);
    seen += node->id;
    return true;
  };
  take();
  take();
  first.join();
  second.join();
  while (take()) {
  }
  assert(seen == 7);
}
