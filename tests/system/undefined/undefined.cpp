// Undefined behaviour that only some executions have: the shift is too wide if the thread sees the flag.
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> width{1};
static int plain = 0;

int main(int argc, char**) {
  std::thread other([=] {
    width.store(40, std::memory_order_relaxed);
    if (argc > 1) ++plain;
  });
  if (argc > 1)
    ++plain;
  else
    std::printf("%d\n", 1 << width.load(std::memory_order_relaxed));
  other.join();
}
