// long-assert of the thesis: one thread counts two variables up to VALUES, with other work between. The other thread
// must not read 0 from the first and then 1, 2, ... VALUES, in this order, from the second.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 20000
#include <atomic>
#include <cassert>
#include <thread>

#ifndef VALUES
#define VALUES 5
#endif

constexpr auto relaxed = std::memory_order_relaxed;
static std::atomic<int> x{0}, y{0}, work{0};

int main() {
  std::thread writer([] {
    for (int i = 1; i <= VALUES; ++i) {
      x.store(i, relaxed);
      y.store(i, relaxed);
      for (int j = 0; j < 2; ++j) work.store(j, relaxed);
    }
  });
  std::thread reader([] {
    if (x.load(relaxed) != 0) return;
    for (int i = 1; i <= VALUES; ++i)
      if (y.load(relaxed) != i) return;
    assert(!"y was read as 1, 2, ... in order");
  });
  writer.join();
  reader.join();
}
