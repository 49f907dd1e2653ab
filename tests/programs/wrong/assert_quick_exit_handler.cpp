// quick_exit runs the handlers of at_quick_exit, the newest first, and none of atexit.
// heddle: finds assert
// heddle-mentions: quick_handlers != 1
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

static std::atomic<int> quick_handlers{0}, other_handlers{0};

int main() {
  std::atexit([] { ++other_handlers; });
  std::at_quick_exit([] {
    assert(other_handlers == 0);
    assert(quick_handlers == 1);
    assert(quick_handlers != 1);
  });
  std::at_quick_exit([] { ++quick_handlers; });
  std::thread leaves([] { std::quick_exit(0); });
  leaves.join();
}
