// A thread polls a flag and sleeps in between, in all the ways there are to sleep.
// heddle: clean
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

static int payload;
static std::atomic<bool> ready{false};

int main() {
  std::thread poller([] {
    for (int round = 0; !ready.load(std::memory_order_acquire); ++round) {
      switch (round % 4) {
        case 0: std::this_thread::sleep_for(std::chrono::milliseconds(10)); break;
        case 1: usleep(10); break;
        case 2: sleep(1); break;
        default: {
          timespec time{0, 1000};
          nanosleep(&time, nullptr);
        }
      }
    }
    assert(payload == 4);
  });
  payload = 4;
  ready.store(true, std::memory_order_release);
  poller.join();
}
