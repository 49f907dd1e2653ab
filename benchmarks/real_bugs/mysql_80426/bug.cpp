// InnoDB's mutex: both ways into it, test-and-set and compare-exchange, use release where they need acquire.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto entered = std::memory_order_acquire;
#else
constexpr auto entered = std::memory_order_release;
#endif

static std::atomic<int> lock_word{0};
static int pages = 0, log_records = 0;

static bool try_enter_by_exchange() { return lock_word.exchange(1, entered) == 0; }  // upstream fix: acquire

static bool try_enter_by_compare() {
  int free = 0;
  return lock_word.compare_exchange_strong(free, 1, entered, std::memory_order_relaxed);  // upstream fix: acquire
}

static void leave() { lock_word.store(0, std::memory_order_release); }

static void change() {
  ++pages;
  ++log_records;
  assert(pages == log_records);
  leave();
}

int main() {
  std::thread other([] {
    while (!try_enter_by_compare()) std::this_thread::yield();
    change();
  });
  while (!try_enter_by_exchange()) std::this_thread::yield();
  change();
  other.join();
  assert(pages == 2);
}
