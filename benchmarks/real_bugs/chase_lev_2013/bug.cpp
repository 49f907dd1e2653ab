// Chase and Lev's deque as published for C11, with its growing array: the new array is published by a relaxed store, so
// a thief may read a place of it that does not hold its element yet.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto seq_cst = std::memory_order_seq_cst;
#ifdef MENDED
constexpr auto array_published = std::memory_order_release;
constexpr auto array_read = std::memory_order_acquire;
#else
constexpr auto array_published = std::memory_order_relaxed;
constexpr auto array_read = std::memory_order_relaxed;
#endif

struct Array {
  explicit Array(long places) : size(places), items(new std::atomic<int>[static_cast<size_t>(places)] {}) {}
  std::atomic<int>& at(long index) { return items[index % size]; }
  const long size;
  std::atomic<int>* items;
};

class Deque {
 public:
  void push(int item) {
    const long bottom = bottom_.load(relaxed);
    const long top = top_.load(acquire);
    Array* array = array_.load(relaxed);
    if (bottom - top > array->size - 1) {
      Array* larger = new Array(array->size * 2);
      for (long i = top; i < bottom; ++i) larger->at(i).store(array->at(i).load(relaxed), relaxed);
      array_.store(larger, array_published);  // upstream fix: release
      array = larger;
    }
    array->at(bottom).store(item, relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    bottom_.store(bottom + 1, relaxed);
  }

  int take() {
    const long bottom = bottom_.load(relaxed) - 1;
    Array* array = array_.load(relaxed);
    bottom_.store(bottom, relaxed);
    std::atomic_thread_fence(seq_cst);
    long top = top_.load(relaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, relaxed);
      return 0;
    }
    int item = array->at(bottom).load(relaxed);
    if (top == bottom) {
      if (!top_.compare_exchange_strong(top, top + 1, seq_cst, relaxed)) item = 0;
      bottom_.store(bottom + 1, relaxed);
    }
    return item;
  }

  // Returns 0 if there is nothing to steal, or another thread was faster.
  int steal(bool& taken) {
    taken = false;
    long top = top_.load(acquire);
    std::atomic_thread_fence(seq_cst);
    const long bottom = bottom_.load(acquire);
    if (top >= bottom) return 0;
    Array* array = array_.load(array_read);  // upstream fix: acquire (consume)
    const int item = array->at(top).load(relaxed);
    taken = top_.compare_exchange_strong(top, top + 1, seq_cst, relaxed);
    return item;
  }

 private:
  std::atomic<long> top_{0}, bottom_{0};
  std::atomic<Array*> array_{new Array(2)};
};

static Deque deque;
static std::atomic<int> sum{0};

int main() {
  deque.push(1);
  deque.push(2);
  std::thread thief([] {
    for (int i = 0; i < 2; ++i) {
      bool taken = false;
      const int item = deque.steal(taken);
      if (taken) {
        assert(item != 0);
        sum += item;
      }
    }
  });
  deque.push(4);  // The array grows.
  sum += deque.take();
  thief.join();
  while (int item = deque.take()) sum += item;
  assert(sum == 7);
}
