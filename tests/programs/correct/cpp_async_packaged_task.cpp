// std::async, eager and deferred, and std::packaged_task return what their function returned.
// heddle: clean
#include <cassert>
#include <future>
#include <thread>

static int triple(int value) { return 3 * value; }

int main() {
  auto eager = std::async(std::launch::async, triple, 2);
  auto lazy = std::async(std::launch::deferred, triple, 3);
  std::packaged_task<int(int)> task(triple);
  auto packaged = task.get_future();
  std::thread runner(std::move(task), 4);
  assert(packaged.get() == 12);
  assert(lazy.get() == 9);
  assert(eager.get() == 6);
  runner.join();
}
