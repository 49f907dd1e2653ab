// Double-checked locking done right: the pointer is published with release and picked up with acquire.
// Heddle says: nothing, in any execution.
// heddle: clean
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Settings {
  int volume = 7;
};

static std::atomic<Settings*> instance{nullptr};
static std::mutex creation;

static Settings& settings() {
  Settings* found = instance.load(std::memory_order_acquire);  // (1) pairs with (2)
  if (found == nullptr) {
    std::lock_guard guard(creation);
    found = instance.load(std::memory_order_relaxed);  // the mutex orders this one
    if (found == nullptr) {
      found = new Settings;
      instance.store(found, std::memory_order_release);  // (2) pairs with (1)
    }
  }
  return *found;
}

int main() {
  std::thread a([] { assert(settings().volume == 7); });
  std::thread b([] { assert(settings().volume == 7); });
  a.join();
  b.join();
  delete instance.load();
}
