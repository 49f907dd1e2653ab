// One execution reads the flag when it is set; the one in which it is not yet set waits, and is not followed further.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> flag;
int data;

int main() {
  std::thread writer([] {
    data = 1;
    flag.store(1, std::memory_order_release);
  });
  std::thread reader([] {
    while (flag.load(std::memory_order_acquire) == 0) {
    }
    assert(data == 1);
  });
  writer.join();
  reader.join();
}
