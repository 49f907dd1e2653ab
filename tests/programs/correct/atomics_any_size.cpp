// Atomic objects that are too large, or in clang's eyes not aligned well enough, for one instruction.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

struct Pair {
  int a, b;
};
struct Triple {
  long a, b, c;
};

static std::atomic<Pair> pair{Pair{0, 0}};
static std::atomic<Triple> triple{Triple{0, 0, 0}};

static void work() {
  Pair old_pair = pair.load();
  while (!pair.compare_exchange_weak(old_pair, Pair{old_pair.a + 1, old_pair.b - 1})) {
  }
  Triple old_triple = triple.load();
  do {
    assert(old_triple.a == old_triple.b && old_triple.b == old_triple.c);
  } while (!triple.compare_exchange_strong(old_triple, Triple{old_triple.a + 1, old_triple.b + 1, old_triple.c + 1}));
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(pair.load().a == 2 && pair.load().b == -2 && triple.load().c == 2);
}
