// heddle: finds race
// heddle-runs: 300
// heddle-levels: -O0 -O2
// heddle-mentions: late
// What the writer does after its write is not ordered with what the reader does after its read.
#include <unistd.h>

#include <thread>

int early = 0, late = 0;

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread writer([&] {
    early = 1;
    if (write(ends[1], "x", 1) != 1) return;
    late = 1;
  });
  char byte;
  if (read(ends[0], &byte, 1) != 1) return 1;
  const int sum = early + late;
  writer.join();
  return sum > 2 ? 1 : 0;
}
