// After the barrier one thread already writes for the next phase what the other still reads for this one.
// heddle: finds race
// heddle-mentions: board
#include <barrier>
#include <cstdio>
#include <thread>

static int board;

int main() {
  std::barrier phase(2);
  std::thread writer([&] {
    board = 1;
    phase.arrive_and_wait();
    board = 2;  // a second barrier is missing
  });
  phase.arrive_and_wait();
  const int seen = board;
  writer.join();
  std::printf("%d\n", seen);
}
