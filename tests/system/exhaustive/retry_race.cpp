// A race that only an iteration that fails can show: the thread reads plain[0], its compare-exchange fails, and what it
// does after the loop lets another thread write plain[0]. ORDERED: a release and an acquire forbid it. WAITS: the loop
// waits, and reads plain[0] while it does.
#include <atomic>
#include <thread>

#ifdef ORDERED
constexpr auto release = std::memory_order_release, acquire = std::memory_order_acquire;
#else
constexpr auto release = std::memory_order_relaxed, acquire = std::memory_order_relaxed;
#endif
constexpr auto relaxed = std::memory_order_relaxed;

std::atomic<int> index, last, flag;
int plain[2];

int main() {
  std::thread reader([] {
#ifdef WAITS
    while (index.load(relaxed) == 0)
      if (plain[0] == 7) return;
    flag.store(1, release);
#else
    int at = index.load(relaxed);
    int seen;
    do {
      seen = plain[at];
    } while (!index.compare_exchange_strong(at, at + 2, relaxed, relaxed));
    last.store(seen, relaxed);
    if (at == 1) flag.store(1, release);
#endif
  });
  std::thread changer([] { index.store(1, relaxed); });
  std::thread writer([] {
    if (flag.load(acquire) == 1) plain[0] = 5;
  });
  reader.join();
  changer.join();
  writer.join();
}
