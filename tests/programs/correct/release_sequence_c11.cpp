// Under the rule of C++11 to C++17, a later relaxed store of the same thread continued its release sequence.
// heddle: clean
// heddle-options: --release-sequence=c11
#include <atomic>
#include <cassert>
#include <thread>

static int payload;
static std::atomic<int> cell{0};

int main() {
  std::thread writer([] {
    payload = 1;
    cell.store(1, std::memory_order_release);
    cell.store(2, std::memory_order_relaxed);
  });
  std::thread reader([] {
    if (cell.load(std::memory_order_acquire) == 2) assert(payload == 1);
  });
  writer.join();
  reader.join();
}
