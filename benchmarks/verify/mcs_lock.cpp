// The queue lock of Mellor-Crummey and Scott: everybody waits at a place of his own. BROKEN: the one in front opens the
// gate without a release.
#include <atomic>

#include "lock_program.hpp"

#ifdef BROKEN
constexpr auto open = std::memory_order_relaxed;
#else
constexpr auto open = std::memory_order_release;
#endif

class McsLock {
 public:
  void lock(int self) {
    Place& mine = places_[self];
    mine.behind.store(nullptr, std::memory_order_relaxed);
    mine.closed.store(true, std::memory_order_relaxed);
    Place* front = last_.exchange(&mine, std::memory_order_acq_rel);
    if (front == nullptr) return;
    front->behind.store(&mine, std::memory_order_release);
    while (mine.closed.load(std::memory_order_acquire)) {
    }
  }
  void unlock(int self) {
    Place& mine = places_[self];
    Place* behind = mine.behind.load(std::memory_order_acquire);
    if (behind == nullptr) {
      Place* expected = &mine;
      if (last_.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed))
        return;
      while ((behind = mine.behind.load(std::memory_order_acquire)) == nullptr) {
      }
    }
    behind->closed.store(false, open);
  }

 private:
  struct Place {
    std::atomic<Place*> behind;
    std::atomic<bool> closed;
  };
  Place places_[most_threads];
  std::atomic<Place*> last_{nullptr};
};

McsLock the_lock;

int main(int argc, char** argv) { return count_under_lock(the_lock, argc, argv); }
