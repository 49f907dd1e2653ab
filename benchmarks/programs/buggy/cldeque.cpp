// Chase and Lev's work-stealing deque in the C11 form of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013): the owner
// pushes and takes at the bottom, thieves steal at the top. As published, a push that needs more room stores the new
// array's address relaxed: a thief may follow it to memory that was not yet written, as far as the thief knows.
// It has to combine an old bottom with the new array: the newest bottom brings everything that came before it along.
// heddle: finds race
// heddle-also: crash
#include <atomic>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto publishing = std::memory_order_release;
#else
constexpr auto publishing = std::memory_order_relaxed;
#endif
constexpr auto relaxed = std::memory_order_relaxed;

struct Array {
  explicit Array(long room) : size(room), items(new std::atomic<int>[static_cast<unsigned long>(room)]) {}
  std::atomic<int>& at(long i) { return items[i % size]; }

  long size;
  std::atomic<int>* items;  // old arrays are not given back: a thief may still look at them
};

constexpr int nothing = 0;
static std::atomic<long> top{0}, bottom{0};
static std::atomic<Array*> array{new Array(1)};

static void push(int item) {
  const long b = bottom.load(relaxed);
  const long t = top.load(std::memory_order_acquire);
  Array* a = array.load(relaxed);
  if (b - t > a->size - 1) {
    Array* larger = new Array(2 * a->size);
    for (long i = t; i < b; ++i) larger->at(i).store(a->at(i).load(relaxed), relaxed);
    array.store(larger, publishing);
    a = larger;
  }
  a->at(b).store(item, relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  bottom.store(b + 1, relaxed);
}

static int take() {
  const long b = bottom.load(relaxed) - 1;
  Array* a = array.load(relaxed);
  bottom.store(b, relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  long t = top.load(relaxed);
  if (t > b) {
    bottom.store(b + 1, relaxed);
    return nothing;
  }
  int item = a->at(b).load(relaxed);
  if (t == b) {
    if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, relaxed)) item = nothing;
    bottom.store(b + 1, relaxed);
  }
  return item;
}

static int steal() {
  long t = top.load(std::memory_order_acquire);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const long b = bottom.load(std::memory_order_acquire);
  if (t >= b) return nothing;
  Array* a = array.load(std::memory_order_acquire);
  const int item = a->at(t).load(relaxed);
  if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, relaxed)) return nothing;
  return item;
}

int main() {
  std::thread thief([] {
    inserted_writes();
    for (int attempt = 0; attempt < 3 && steal() == nothing; ++attempt) std::this_thread::yield();
  });
  inserted_writes();
  for (int item = 1; item <= 3; ++item) push(item);
  take();
  take();
  thief.join();
}
