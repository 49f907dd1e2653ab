// A queue of messages: the new node's link is cleared, then the node is exchanged in, then the node before it is
// linked. If the exchange orders nothing, the clearing may come after the linking by the next producer.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#ifdef MENDED
constexpr auto exchanged = std::memory_order_acq_rel;
#else
constexpr auto exchanged = std::memory_order_relaxed;
#endif

struct Message {
  int id = 0;
  std::atomic<Message*> next{nullptr};
};

class Queue {
 public:
  Queue() : head_(&stub_), tail_(&stub_) {}

  void push(Message* message) {
    message->next.store(nullptr, relaxed);
    Message* previous = head_.exchange(message, exchanged);  // upstream fix: release fence before this
    previous->next.store(message, std::memory_order_release);
  }

  Message* pop() {
    Message* next = tail_->next.load(std::memory_order_acquire);
    if (next != nullptr) tail_ = next;
    return next;
  }

 private:
  Message stub_;
  std::atomic<Message*> head_;
  Message* tail_;
};

int main() {
  Queue queue;
  Message messages[4];
  for (int i = 0; i < 4; ++i) messages[i].id = i + 1;
  std::thread first([&] {
    queue.push(&messages[0]);
    queue.push(&messages[1]);
  });
  std::thread second([&] {
    queue.push(&messages[2]);
    queue.push(&messages[3]);
  });
  first.join();
  second.join();
  int sum = 0;
  while (Message* message = queue.pop()) sum += message->id;
  assert(sum == 10);
}
