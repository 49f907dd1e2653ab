// Message passing done right: the release store of the flag carries the data to the thread that reads it with acquire.
// Heddle says: nothing, in any execution.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static int payload;
static std::atomic<bool> ready{false};

int main() {
  std::thread producer([] {
    payload = 42;
    ready.store(true, std::memory_order_release);  // (1) pairs with (2)
  });
  std::thread consumer([] {
    if (ready.load(std::memory_order_acquire)) {  // (2) pairs with (1)
      assert(payload == 42);
    }
  });
  producer.join();
  consumer.join();
}
