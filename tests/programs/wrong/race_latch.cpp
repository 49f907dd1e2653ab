// A worker counts down before it has finished.
// heddle: finds race
// heddle-also: deadlock
// (libstdc++ 12 loses a wake-up now and then: docs/third-party.md)
// heddle-mentions: output
#include <cstdio>
#include <latch>
#include <thread>

static int output;

int main() {
  std::latch done{1};
  std::thread worker([&] {
    done.count_down();
    output = 1;
  });
  done.wait();
  const int seen = output;
  worker.join();
  std::printf("%d\n", seen);
}
