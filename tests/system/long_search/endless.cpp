// A thread that never ends, beside two threads with a bug that is a few events deep.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<unsigned> beats{0};
static std::atomic<int> first{0}, second{0};

int main() {
  std::thread reader([] {
    const int newer = second.load(std::memory_order_relaxed);
    assert(newer == 0 || first.load(std::memory_order_relaxed) == 1);
  });
  std::thread writer([] {
    first.store(1, std::memory_order_relaxed);
    second.store(1, std::memory_order_relaxed);
  });
  std::thread([] {
    for (;;) beats.fetch_add(1, std::memory_order_relaxed);
  }).detach();
  reader.join();
  writer.join();
}
