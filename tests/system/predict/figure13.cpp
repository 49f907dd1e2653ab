// Figure 13 of Burnim, Sen and Stergiou (ISSTA 2011): a lock orders the accesses in most executions, and protects none.
// f1 and f2 are expensive: they make as many operations as the arguments say.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

std::atomic<int> x{0}, y{0};
std::mutex lock;
int r1, r2;

void work(int operations) {
  std::atomic<int> sum{0};
  for (int i = 0; i < operations; ++i) sum.store(i, std::memory_order_relaxed);
}

int main(int argc, char** argv) {
  const int f1 = argc > 1 ? std::atoi(argv[1]) : 0, f2 = argc > 2 ? std::atoi(argv[2]) : 0;
  std::thread first([f2] {
    x.store(1, std::memory_order_relaxed);
    r1 = y.load(std::memory_order_relaxed);
    lock.lock();
    lock.unlock();
    work(f2);
  });
  std::thread second([f1] {
    work(f1);
    lock.lock();
    lock.unlock();
    y.store(1, std::memory_order_relaxed);
    r2 = x.load(std::memory_order_relaxed);
  });
  first.join();
  second.join();
  assert(r1 == 1 || r2 == 1);
}
