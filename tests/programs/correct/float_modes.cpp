// How a thread rounds, and which floating-point exceptions it has met, is its own. A new thread begins as its creator.
// heddle: clean
#include <atomic>
#include <cassert>
#include <cfenv>
#include <thread>

static std::atomic<int> turns;

static void take_turns(int rounding) {
  for (int i = 0; i < 4; ++i) {
    turns.fetch_add(1);
    assert(std::fegetround() == rounding);
  }
}

int main() {
  assert(std::fegetround() == FE_TONEAREST);
  std::fesetround(FE_UPWARD);
  std::thread other([] {
    assert(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_DOWNWARD);
    take_turns(FE_DOWNWARD);
    assert(std::fetestexcept(FE_DIVBYZERO) == 0);
  });
  volatile double zero = 0;
  volatile double infinite = 1 / zero;
  (void)infinite;
  take_turns(FE_UPWARD);
  other.join();
  assert(std::fetestexcept(FE_DIVBYZERO) != 0);
  std::fesetround(FE_TONEAREST);
}
