// The deque of Arora, Blumofe and Plaxton. The owner pops at the bottom, thieves steal at the top. A thief reads the
// top and then the bottom; if it may see an older bottom, it steals a job that the owner has popped.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
#if defined(MENDED) || defined(UPSTREAM)
constexpr auto looked = std::memory_order_acquire;
constexpr auto pushed = std::memory_order_seq_cst;
constexpr auto stored = std::memory_order_release;
#else
constexpr auto looked = std::memory_order_relaxed;
constexpr auto pushed = std::memory_order_relaxed;
constexpr auto stored = std::memory_order_relaxed;
#endif

struct Age {
  uint32_t tag;
  uint32_t top;
};

class Deque {
 public:
  void push(int job) {
    uint32_t bottom = bottom_.load(relaxed);
    jobs_[bottom].store(job, stored);
    bottom_.store(bottom + 1, pushed);  // upstream fix: seq_cst
  }

  int steal() {
    Age old = age_.load(looked);  // upstream fix: acquire
#ifdef MENDED
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    const uint32_t bottom = bottom_.load(looked);  // upstream fix: acquire
    if (bottom <= old.top) return 0;
    const int job = jobs_[old.top].load(looked);  // upstream fix: acquire
    const Age next{old.tag, old.top + 1};
    return age_.compare_exchange_strong(old, next) ? job : 0;
  }

  int pop() {
    uint32_t bottom = bottom_.load(relaxed);
    if (bottom == 0) return 0;
    --bottom;
    bottom_.store(bottom, stored);  // upstream fix: release
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const int job = jobs_[bottom].load(looked);
    Age old = age_.load(looked);
    if (bottom > old.top) return job;
    bottom_.store(0, stored);
    const Age emptied{old.tag + 1, 0};
    if (bottom == old.top && age_.compare_exchange_strong(old, emptied)) return job;
    age_.store(emptied);
    return 0;
  }

 private:
  std::atomic<uint32_t> bottom_{0};
  std::atomic<Age> age_{Age{0, 0}};
  std::atomic<int> jobs_[8] = {};
};

static Deque deque;
static std::atomic<int> runs[4];

static void run(int job) {
  if (job != 0) assert(runs[job].fetch_add(1) == 0);
}

int main() {
  deque.push(1);
  deque.push(2);
  std::thread thief([] { run(deque.steal()); });
  std::thread other_thief([] { run(deque.steal()); });
  run(deque.pop());
  deque.push(3);
  run(deque.pop());
  thief.join();
  other_thief.join();
  while (int job = deque.pop()) run(job);
  assert(runs[1] + runs[2] + runs[3] == 3);
}
