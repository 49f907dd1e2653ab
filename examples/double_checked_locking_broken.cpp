// Double-checked locking with a relaxed pointer: the fast path finds an object whose fields it cannot see yet.
// heddle: finds race
// heddle-also: assert
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
  Settings* found = instance.load(std::memory_order_relaxed);  // should be acquire
  if (found == nullptr) {
    std::lock_guard guard(creation);
    found = instance.load(std::memory_order_relaxed);  // the mutex orders this one
    if (found == nullptr) {
      found = new Settings;
      instance.store(found, std::memory_order_relaxed);  // should be release
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
