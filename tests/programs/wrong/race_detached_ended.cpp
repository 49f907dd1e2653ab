// Main waits until a detached thread has written, by a flag that orders nothing, and is alone when it reads.
// heddle: finds race
// heddle-mentions: status
#include <atomic>
#include <cstdio>
#include <thread>

static int status;
static std::atomic<bool> written;

int main() {
  std::thread([] {
    status = 1;
    written.store(true, std::memory_order_relaxed);
  }).detach();
  while (!written.load(std::memory_order_relaxed)) std::this_thread::yield();
  for (int i = 0; i < 4; ++i) std::this_thread::yield();
  std::printf("%d\n", status);
}
