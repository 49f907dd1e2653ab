// atomic::wait with memory_order_relaxed waits, but does not order.
// heddle: finds race
// heddle-also: deadlock
// (libstdc++ 12 loses a wake-up now and then: docs/third-party.md)
// heddle-mentions: parcel
#include <atomic>
#include <cstdio>
#include <thread>

static int parcel;
static std::atomic<int> arrived{0};

int main() {
  std::thread sender([] {
    parcel = 1;
    arrived.store(1, std::memory_order_release);
    arrived.notify_one();
  });
  arrived.wait(0, std::memory_order_relaxed);
  const int seen = parcel;
  sender.join();
  std::printf("%d\n", seen);
}
