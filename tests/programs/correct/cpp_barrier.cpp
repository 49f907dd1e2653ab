// std::barrier: its completion function runs alone between two phases. Its waiting needs the fences of the futex calls.
// heddle: clean
// heddle-runs: 4000
// heddle-options: -s pctwm
#include <barrier>
#include <cassert>
#include <thread>

static int parts[2], total, phases;

static void complete() noexcept {
  total += parts[0] + parts[1];
  ++phases;
}

int main() {
  std::barrier barrier(2, complete);
  auto work = [&](int me) {
    parts[me] = 1;
    barrier.arrive_and_wait();
    assert(total == 2 && phases == 1);
    barrier.arrive_and_wait();
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  assert(total == 4 && phases == 2);
}
