// A plain value handed over by a flag: two threads, one plain access each, two atomic ones.
#include <atomic>
#include <thread>

static int data;
static std::atomic<bool> ready;
static int received;

int main() {
  ready.store(false, std::memory_order_relaxed);
  std::thread writer([] {
    data = 42;
    ready.store(true, std::memory_order_release);
  });
  std::thread reader([] {
    if (ready.load(std::memory_order_acquire)) received = data;
  });
  writer.join();
  reader.join();
}
