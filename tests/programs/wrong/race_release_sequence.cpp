// Since C++20 a later relaxed store of the same thread ends the release sequence: nothing orders the payload.
// heddle: finds race
// heddle-mentions: payload
#include <atomic>
#include <cstdio>
#include <thread>

static int payload;
static std::atomic<int> cell{0};

int main() {
  std::thread writer([] {
    payload = 1;
    cell.store(1, std::memory_order_release);
    cell.store(2, std::memory_order_relaxed);
  });
  int seen = 0;
  if (cell.load(std::memory_order_acquire) == 2) seen = payload;
  writer.join();
  std::printf("%d\n", seen);
}
