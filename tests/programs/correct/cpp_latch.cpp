// std::latch: no thread passes before the count is zero, and everything done before counting down is visible after.
// Not under the default strategy, which meets a lost wake-up of libstdc++ 12: docs/third-party.md, "wake-ups that are
// lost".
// heddle: clean
// heddle-options: -s random
// heddle-defect: deadlock
#include <array>
#include <cassert>
#include <latch>
#include <thread>

int main() {
  std::latch started{3};
  std::array<int, 2> results{};
  std::thread a([&] {
    results[0] = 1;
    started.count_down();
  });
  std::thread b([&] {
    results[1] = 2;
    started.arrive_and_wait();
    assert(results[0] == 1);
  });
  started.count_down();
  started.wait();
  assert(started.try_wait());
  assert(results[0] + results[1] == 3);
  a.join();
  b.join();
}
