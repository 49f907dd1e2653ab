// Figure 13 of Burnim, Sen and Stergiou (ISSTA 2011): a lock orders the accesses in most executions, and protects none.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::atomic<int> x{0}, y{0};
std::mutex lock;
int r1, r2;

int main() {
  std::thread first([] {
    x.store(1, std::memory_order_relaxed);
    r1 = y.load(std::memory_order_relaxed);
    lock.lock();
    lock.unlock();
  });
  std::thread second([] {
    lock.lock();
    lock.unlock();
    y.store(1, std::memory_order_relaxed);
    r2 = x.load(std::memory_order_relaxed);
  });
  first.join();
  second.join();
  assert(r1 == 1 || r2 == 1);
}
