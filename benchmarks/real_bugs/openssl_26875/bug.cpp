// RCU with counted readers: a reader counts itself and looks again whether the count is still the current one; the
// writer makes another count current and waits until the old one is zero. Nothing orders the two against each other.
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
#ifdef MENDED
constexpr auto index_stored = std::memory_order_release;
#else
constexpr auto index_stored = std::memory_order_relaxed;
#endif

struct Config {
  int a = 0, b = 0;
};

static std::atomic<unsigned> current{0};
static std::atomic<int> readers[2];
static std::atomic<Config*> config{nullptr};

static unsigned read_lock() {
  while (true) {
    const unsigned index = current.load(acquire);
    readers[index].fetch_add(1, acquire);
    if (index == current.load(relaxed)) return index;
    readers[index].fetch_sub(1, relaxed);
  }
}

static void read_unlock(unsigned index) { readers[index].fetch_sub(1, release); }

static void synchronize() {
  const unsigned old = current.load(relaxed);
  current.store(1 - old, index_stored);
#if defined(MENDED) || defined(UPSTREAM)
  readers[old].fetch_add(0, release);  // a read-modify-write: readers come before it, or see the new index
#endif
  while (readers[old].load(acquire) != 0)  // upstream fix: a release on the count before this loop
    std::this_thread::yield();
}

static void read() {
  const unsigned index = read_lock();
  const Config* present = config.load(acquire);
  assert(present->a == present->b);
  read_unlock(index);
}

static void update(int value) {
  Config* next = new Config{value, value};
  Config* old = config.exchange(next, std::memory_order_acq_rel);
  synchronize();
  delete old;
}

int main() {
  config = new Config;
  std::thread reader([] {
    read();
    read();
  });
  update(1);
  reader.join();
  delete config.load();
}
