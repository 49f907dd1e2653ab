// Threads that create threads, in whatever order: which of them a worker meets first must not matter.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

static std::atomic<int> x{0}, y{0};

static void leaf(int value) {
  x.store(value, std::memory_order_relaxed);
  y.fetch_add(x.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

static void branch(int value) {
  std::thread first(leaf, value);
  std::thread second(leaf, value + 1);
  first.join();
  second.join();
}

int main() {
  std::vector<std::thread> branches;
  for (int i = 0; i < 3; ++i) branches.emplace_back(branch, 10 * i);
  for (auto& thread : branches) thread.join();
  assert(y != 63);  // if every leaf reads its own value: a finding, so that findings are compared too
}
