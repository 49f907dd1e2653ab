// A reference count: each thread makes a copy of its reference and drops both. The last drop destroys the object.
#include <atomic>
#include <cassert>

#include "../verify/threads.hpp"

std::atomic<int> count{0};
int uses[most_threads];
int sum = -1;

void copy() { count.fetch_add(1, std::memory_order_seq_cst); }

void drop(int threads) {
  if (count.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sum = 0;
  for (int i = 0; i < threads; ++i) sum += uses[i];  // the destructor sees all uses
}

int main(int argc, char** argv) {
  const int threads = argument(argc, argv, 1, 2);
  for (int i = 0; i < threads; ++i) copy();
  in_threads(threads, [threads](int self) {
    copy();
    ++uses[self];
    drop(threads);
    ++uses[self];
    drop(threads);
  });
  assert(sum == 2 * threads);
  return 0;
}
