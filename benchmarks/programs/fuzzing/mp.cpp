// mp of the thesis: five threads update a flag, each only from the value that another one leaves. The flag must not end
// with the last value.
// heddle: finds assert
// heddle-options: -s fuzz
// heddle-runs: 4000
#include <atomic>
#include <cassert>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;
constexpr int threads = 5;
static std::atomic<int> flag{0};

int main() {
  std::thread all[threads];
  for (int i = 0; i < threads; ++i)
    all[i] = std::thread([i] {
      if (flag.load(relaxed) == i) flag.store(i + 1, relaxed);
    });
  for (std::thread& thread : all) thread.join();
  assert(flag.load(relaxed) != threads);
}
