// main returns while a detached thread still runs: the program ends, and the thread with it.
// heddle: clean
#include <atomic>
#include <thread>

static std::atomic<int> steps{0};

int main() {
  std::thread([] {
    for (int i = 0; i < 100; ++i) steps.fetch_add(1, std::memory_order_relaxed);
  }).detach();
  return steps.load(std::memory_order_relaxed) < 0;
}
