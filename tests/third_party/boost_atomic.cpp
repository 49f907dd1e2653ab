// boost::atomic and its fences.
// heddle: clean
#include <boost/atomic.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::atomic<int> counter{0};
  boost::atomic<bool> ready{false};
  int payload = 0;
  std::thread writer([&] {
    payload = 5;
    boost::atomic_thread_fence(boost::memory_order_release);
    ready.store(true, boost::memory_order_relaxed);
    counter.fetch_add(2, boost::memory_order_relaxed);
  });
  int expected = counter.load(boost::memory_order_relaxed);
  while (!counter.compare_exchange_weak(expected, expected + 1, boost::memory_order_relaxed)) {
  }
  if (ready.load(boost::memory_order_relaxed)) {
    boost::atomic_thread_fence(boost::memory_order_acquire);
    assert(payload == 5);
  }
  writer.join();
  assert(counter.load() == 3);
}
