// Threads that start threads, three levels deep: each join orders a whole subtree.
// heddle: clean
#include <array>
#include <cassert>
#include <thread>

static int count(int depth) {
  if (depth == 0) return 1;
  std::array<int, 2> below{};
  std::thread left([&] { below[0] = count(depth - 1); });
  std::thread right([&] { below[1] = count(depth - 1); });
  left.join();
  right.join();
  return 1 + below[0] + below[1];
}

int main() { assert(count(3) == 15); }
