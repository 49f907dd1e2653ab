// compare_exchange_weak may fail although the value is the expected one.
// heddle: finds assert
// heddle-only: gcc (clang hands a weak compare_exchange to the runtime as a strong one)
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> state{0};

int main() {
  std::thread other([] {
    int expected = 0;
    const bool done = state.compare_exchange_weak(expected, 1);
    assert(done);
  });
  other.join();
}
