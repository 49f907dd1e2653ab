// oneTBB 2021.8: a thread that has pushed an element may find the queue empty.
#include <tbb/concurrent_queue.h>

#include <cassert>
#include <thread>

static void push_and_pop(tbb::concurrent_queue<int>& queue) {
  for (int round = 0; round < 2; ++round) {
    queue.push(1);
    int value = 0;
    // Each thread takes out only after it has put in, so there is at least one element.
    assert(queue.try_pop(value));
    assert(value == 1);
  }
}

int main() {
  tbb::concurrent_queue<int> queue;
  std::thread other([&] { push_and_pop(queue); });
  push_and_pop(queue);
  other.join();
  assert(queue.empty());
}
