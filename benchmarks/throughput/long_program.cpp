// As many events as its argument says: two threads pass a token, count, and look at what the other does.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

static std::atomic<unsigned> counter, progress[2];
static std::mutex mutex;
static unsigned long shared;

static void work(unsigned who, unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; ++i) {
    counter.fetch_add(1, std::memory_order_acq_rel);
    progress[who].store(static_cast<unsigned>(i), std::memory_order_release);
    progress[1 - who].load(std::memory_order_acquire);
    const std::lock_guard lock(mutex);
    ++shared;
  }
}

int main(int argc, char** argv) {
  const unsigned long events = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000;
  const unsigned long rounds = events / 10;  // five events a round, two threads
  std::thread other(work, 1, rounds);
  work(0, rounds);
  other.join();
}
