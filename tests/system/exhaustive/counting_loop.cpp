// Reads the same again and again, but counts: none of its five reads may be taken for waiting. The value changes before
// the first, the second, ... or after the last: six executions.
#include <atomic>
#include <thread>

std::atomic<int> x;

int main() {
  std::thread writer([] { x.store(1); });
  std::thread reader([] {
    for (int i = 0; i < 5; ++i)
      if (x.load() == 7) return;
  });
  writer.join();
  reader.join();
}
