// Two bugs: orders cure the first, but not the race on `stop`, which is not atomic.
#include <atomic>
#include <thread>

static int parcel;
static bool stop;
bool seen;  // not static: no optimisation leaves the read of `stop` out
static std::atomic<bool> is_ready{false};

int main() {
  std::thread sender([] {
    parcel = 1;
    is_ready.store(true, std::memory_order_relaxed);
    stop = true;
  });
  const bool is_wrong = is_ready.load(std::memory_order_relaxed) && parcel != 1;
  seen = stop;
  sender.join();
  return is_wrong && seen ? 1 : 0;
}
