// heddle: finds assert
// heddle-runs: 300
// heddle-levels: -O0 -O2
// A time-out of a second does not mean that the other thread had its turn.
#include <poll.h>
#include <unistd.h>

#include <cassert>
#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread writer([&] { [[maybe_unused]] const auto written = write(ends[1], "x", 1); });
  pollfd file{ends[0], POLLIN, 0};
  const int ready = poll(&file, 1, 1000);
  writer.join();
  assert(ready == 1);
}
