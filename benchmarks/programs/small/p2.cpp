// P2 of the papers (figure 5.1c of the thesis, after its description): two threads send, a third receives from both.
// Depth 2: one communication from each.
// heddle: finds assert
#include <atomic>
#include <cassert>
#include <thread>

#include "../inserted_writes.hpp"

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<int> x{0}, y{0};

int main() {
  std::thread first([] {
    inserted_writes();
    x.store(1, relaxed);
  });
  std::thread second([] {
    inserted_writes();
    const int a = x.load(relaxed);
    const int b = y.load(relaxed);
    assert(a == 0 || b == 0);
  });
  std::thread third([] {
    inserted_writes();
    y.store(1, relaxed);
  });
  first.join();
  second.join();
  third.join();
}
