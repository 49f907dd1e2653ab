// Shows one of 12 failed assertions, some of them rarely, and takes about a millisecond for each execution. So a
// campaign finds something new every now and then.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> last{0};
static std::atomic<unsigned> score{0};

static void race(int self) {
  for (int i = 0; i < 6; ++i) {
    last.store(self);
    if (last.load() != self) ++score;
  }
}

int main() {
  for (volatile int i = 0; i < 100000; ++i) {
  }
  std::thread first(race, 1), second(race, 2);
  first.join();
  second.join();
  switch (score.load()) {
    case 1: assert(score != 1);
    case 2: assert(score != 2);
    case 3: assert(score != 3);
    case 4: assert(score != 4);
    case 5: assert(score != 5);
    case 6: assert(score != 6);
    case 7: assert(score != 7);
    case 8: assert(score != 8);
    case 9: assert(score != 9);
    case 10: assert(score != 10);
    case 11: assert(score != 11);
    case 12: assert(score != 12);
  }
}
