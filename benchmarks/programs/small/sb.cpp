// Store buffering: each thread may miss the other's store. Depth 0: no communication shows it.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

#include "../inserted_writes.hpp"

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<int> x{0}, y{0};

int main() {
  int a = 0, b = 0;
  std::thread first([&] {
    inserted_writes();
    x.store(1, relaxed);
    a = y.load(relaxed);
  });
  std::thread second([&] {
    inserted_writes();
    y.store(1, relaxed);
    b = x.load(relaxed);
  });
  first.join();
  second.join();
  assert(a == 1 || b == 1);
}
