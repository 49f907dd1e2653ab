// std::scoped_lock and std::lock take several mutexes without a deadlock, whatever the order they are named in.
// heddle: clean
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int sum;

int main() {
  std::thread a([] {
    std::scoped_lock both(left, right);
    ++sum;
  });
  std::thread b([] {
    std::scoped_lock both(right, left);
    ++sum;
  });
  {
    std::unique_lock first(left, std::defer_lock), second(right, std::defer_lock);
    std::lock(second, first);
    ++sum;
  }
  a.join();
  b.join();
  assert(sum == 3);
}
