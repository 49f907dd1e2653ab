// A computation polls a flag, to be told when to stop. It looks like a loop that waits, but strict time does not pass
// before it has come to its end. Time passes for the loop that really waits.
// heddle: clean
// heddle-options: --time-model strict
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::atomic<bool> stop{false}, computes{false}, go{false};
  std::thread computation([&] {
    computes = true;
    int sum = 0;
    for (int i = 0; i < 100 && !stop; ++i) sum += i;
    assert(sum == 4950);
    computes = false;
  });
  std::thread waiting([&] {
    while (!go) {
    }
  });
  std::this_thread::sleep_for(1ms);
  assert(!computes);
  go = true;
  stop = true;
  computation.join();
  waiting.join();
}
