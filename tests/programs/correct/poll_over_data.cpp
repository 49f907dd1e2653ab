// A loop over plain data that looks at a flag in every iteration, beside a thread that never ends. The loop polls the
// flag; it does not wait for it.
// heddle: clean
// heddle-runs: 200
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> is_cancelled{false};
std::atomic<unsigned> beats{0};

void beat_for_ever() {
  for (;;) {
    usleep(500);
    beats.store(beats.load() + 1);
  }
}

}  // namespace

int main() {
  const std::vector<int> numbers(600, 3);
  std::thread(beat_for_ever).detach();
  long sum = 0;
  for (const int number : numbers) {
    if (is_cancelled.load()) break;
    sum += number;
  }
  assert(sum == 1800);
}
