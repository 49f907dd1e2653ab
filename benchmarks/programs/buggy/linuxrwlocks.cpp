// The reader-writer lock that Linux had on x86: a counter that starts at the bias; a reader takes one, a writer takes
// all of it. If writers take theirs relaxed, they do not know that those before them have left.
// heddle: finds race
#include <atomic>
#include <thread>

#include "../inserted_writes.hpp"

#ifdef FIXED
constexpr auto write_locking = std::memory_order_acquire;
#else
constexpr auto write_locking = std::memory_order_relaxed;
#endif

class RwLock {
 public:
  void read_lock() {
    while (left_.fetch_sub(1, std::memory_order_acquire) <= 0) {
      left_.fetch_add(1, std::memory_order_relaxed);
      while (left_.load(std::memory_order_relaxed) <= 0) std::this_thread::yield();
    }
  }
  void read_unlock() { left_.fetch_add(1, std::memory_order_release); }

  void write_lock() {
    while (left_.fetch_sub(bias, write_locking) != bias) {
      left_.fetch_add(bias, std::memory_order_relaxed);
      while (left_.load(std::memory_order_relaxed) != bias) std::this_thread::yield();
    }
  }
  void write_unlock() { left_.fetch_add(bias, std::memory_order_release); }

 private:
  static constexpr int bias = 0x100000;
  std::atomic<int> left_{bias};
};

static RwLock lock;
static int shared;

static void read_and_write(int value) {
  inserted_writes();
  for (int round = 0; round < 2; ++round) {
    lock.read_lock();
    [[maybe_unused]] const volatile int seen = shared;
    lock.read_unlock();
    lock.write_lock();
    shared = value;
    lock.write_unlock();
  }
}

int main() {
  std::thread first(read_and_write, 1), second(read_and_write, 2);
  first.join();
  second.join();
}
