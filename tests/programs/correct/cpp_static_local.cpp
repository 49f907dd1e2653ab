// Two threads reach a static local for the first time: one makes it, both see it whole.
// heddle: clean
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

static std::atomic<int> made{0};

struct Table {
  Table() : name("made by the first thread, on the heap") { made.fetch_add(1, std::memory_order_relaxed); }
  std::string name;
};

static const Table& table() {
  static const Table instance;
  return instance;
}

int main() {
  auto use = [] { assert(table().name.size() == 37); };
  std::thread a(use), b(use), c(use);
  a.join();
  b.join();
  c.join();
  assert(made == 1);
}
