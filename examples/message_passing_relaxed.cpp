// Message passing with a relaxed flag: the reader may see the flag and still not the data it announces.
// Heddle says: a data race on `payload`, with the relaxed accesses that fail to order the two sides.
// heddle: finds race
// heddle-mentions: payload
#include <atomic>
#include <cstdio>
#include <thread>

static int payload;
static std::atomic<bool> ready{false};

int main() {
  std::thread producer([] {
    payload = 42;
    ready.store(true, std::memory_order_relaxed);  // should be release
  });
  std::thread consumer([] {
    if (ready.load(std::memory_order_relaxed)) {  // should be acquire
      std::printf("received %d\n", payload);
    }
  });
  producer.join();
  consumer.join();
}
