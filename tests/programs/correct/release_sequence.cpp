// A relaxed read-modify-write continues the release sequence: its reader synchronises with the release store.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static int payload;
static std::atomic<int> cell{0};

int main() {
  std::thread writer([] {
    payload = 1;
    cell.store(1, std::memory_order_release);
  });
  std::thread middle([] { cell.fetch_add(10, std::memory_order_relaxed); });
  std::thread reader([] {
    if (cell.load(std::memory_order_acquire) == 11) assert(payload == 1);
  });
  writer.join();
  middle.join();
  reader.join();
}
