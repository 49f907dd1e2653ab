// std::thread: arguments by value and by reference, moved threads, hardware_concurrency, ids.
// heddle: clean
#include <cassert>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

static void add(int amount, int& sum) { sum += amount; }

int main() {
  int first = 0;
  std::thread a(add, 3, std::ref(first));
  std::thread b = std::move(a);
  assert(!a.joinable() && b.joinable());
  assert(b.get_id() != std::this_thread::get_id());

  auto owned = std::make_unique<int>(4);
  int second = 0;
  std::vector<std::thread> more;
  more.emplace_back([&second, owned = std::move(owned)] { second = *owned; });
  b.join();
  more.front().join();
  assert(first == 3 && second == 4);
  assert(std::thread::hardware_concurrency() < 100000);
}
