// Michael and Scott's queue. The thread that dequeues moves the head by an acquiring operation, so that the next
// thread finds a node there whose initialisation does not happen before.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto head_moved = std::memory_order_acq_rel;
#else
constexpr auto head_moved = std::memory_order_acquire;
#endif
constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

struct Node {
  explicit Node(int number) : value(number) {}
  int value;
  std::atomic<Node*> next{nullptr};
};

// Dequeued nodes stay allocated: reclamation is not what this is about.
class Queue {
 public:
  Queue() : head_(new Node(0)), tail_(head_.load(relaxed)) {}

  void enqueue(int value) {
    Node* node = new Node(value);
    while (true) {
      Node* last = tail_.load(acquire);
      Node* next = last->next.load(acquire);
      if (next != nullptr) {
        tail_.compare_exchange_weak(last, next, release, relaxed);
        continue;
      }
      if (last->next.compare_exchange_strong(next, node, release, relaxed)) {
        tail_.compare_exchange_strong(last, node, release, relaxed);
        return;
      }
    }
  }

  bool dequeue(int& value) {
    while (true) {
      Node* first = head_.load(acquire);
      Node* next = first->next.load(acquire);
      if (head_.load(acquire) != first) continue;
      if (next == nullptr) return false;
      Node* last = tail_.load(acquire);
      if (first == last) {
        tail_.compare_exchange_strong(last, next, release, relaxed);
        continue;
      }
      if (head_.compare_exchange_strong(first, next, head_moved, relaxed)) {  // upstream fix: release
        value = next->value;
        return true;
      }
    }
  }

 private:
  std::atomic<Node*> head_;
  std::atomic<Node*> tail_;
};

int main() {
  Queue queue;
  std::atomic<int> sum{0};
  std::thread producer([&] {
    queue.enqueue(1);
    queue.enqueue(2);
  });
  auto take = [&] {
    int value = 0;
    if (queue.dequeue(value)) sum += value;
  };
  std::thread consumer(take);
  take();
  producer.join();
  consumer.join();
  int value = 0;
  while (queue.dequeue(value)) sum += value;
  assert(sum == 3);
}
