// A value is computed on demand and stored under a shared lock.
// heddle: finds race
// heddle-mentions: lazy
#include <shared_mutex>
#include <thread>

class Lazy {
 public:
  int get() {
    std::shared_lock lock(mutex_);
    if (cached == 0) cached = 42;
    return cached;
  }

 private:
  std::shared_mutex mutex_;
  int cached = 0;
};

static Lazy lazy;

int main() {
  std::thread a([] { lazy.get(); }), b([] { lazy.get(); });
  a.join();
  b.join();
}
