// thread_local objects are made in each thread that uses them, and destroyed when it ends, before a join returns.
// heddle: clean
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

static std::atomic<int> made{0}, destroyed{0};

struct PerThread {
  PerThread() : text("a text that does not fit into the string itself") { made.fetch_add(1); }
  ~PerThread() { destroyed.fetch_add(1); }
  std::string text;
  int uses = 0;
};

static thread_local PerThread mine;
static thread_local int plain = 5;

static void use() {
  assert(mine.uses == 0 && plain == 5);
  mine.text += '.';
  ++mine.uses;
  ++plain;
}

int main() {
  use();
  std::thread a(use), b(use), unused([] { ++plain; });
  a.join();
  b.join();
  unused.join();
  assert(made >= 3 && destroyed == made - 1);
  assert(mine.uses == 1 && plain == 6);
}
