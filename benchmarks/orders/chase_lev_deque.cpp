// The work-stealing deque of Chase and Lev with a fixed array: the owner puts ITEMS items in and takes them out again,
// while a thief steals: PROGRAM [ITEMS [STEALS]]. An item is a plain value that its index in the array hands over.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

constexpr int capacity = 2, most_items = 8;
std::atomic<int> top{0}, bottom{0};
std::atomic<int> slots[capacity];
int work[most_items + 1];
int done[most_items + 1];

bool push(int item) {
  const int b = bottom.load(std::memory_order_seq_cst);
  const int t = top.load(std::memory_order_seq_cst);
  if (b - t >= capacity) return false;
  slots[b % capacity].store(item, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bottom.store(b + 1, std::memory_order_seq_cst);
  return true;
}

int take() {
  const int b = bottom.load(std::memory_order_seq_cst) - 1;
  bottom.store(b, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  int t = top.load(std::memory_order_seq_cst);
  int item = 0;
  if (t <= b) {
    item = slots[b % capacity].load(std::memory_order_seq_cst);
    if (t < b) return item;
    // The last item: the thief may have it.
    if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_seq_cst)) item = 0;
  }
  bottom.store(b + 1, std::memory_order_seq_cst);
  return item;
}

int steal() {
  int t = top.load(std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int b = bottom.load(std::memory_order_seq_cst);
  if (t >= b) return 0;
  const int item = slots[t % capacity].load(std::memory_order_seq_cst);
  if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_seq_cst)) return 0;
  return item;
}

void finish(int item) {
  if (item == 0) return;
  assert(work[item] == item);
  ++done[item];
}

int main(int argc, char** argv) {
  const int items = argument(argc, argv, 1, 3), steals = argument(argc, argv, 2, 2);
  in_threads(2, [=](int self) {
    if (self == 1) {
      for (int i = 0; i < steals; ++i) finish(steal());
      return;
    }
    int next = 1;
    for (int taken = 1; next <= items || taken != 0;) {
      while (next <= items) {
        work[next] = next;
        if (!push(next)) break;
        ++next;
      }
      finish(taken = take());
    }
  });
  for (int item = 1; item <= items; ++item) assert(done[item] == 1);
  return 0;
}
