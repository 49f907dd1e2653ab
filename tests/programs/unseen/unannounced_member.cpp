// A race that heddle cannot see: clang, with optimisation, does not announce accesses of a function to members of its
// own local variables, although their address was handed to another thread. With gcc, or with -O0, the race is found.
// heddle: clean
// heddle-only: clang (gcc announces these accesses)
#include <functional>
#include <thread>

struct Tally {
  long total = 0;
  int count = 0;
};

static void add(Tally& tally) { tally.count += 1; }

int main() {
  Tally tally;
  std::thread other(add, std::ref(tally));
  add(tally);
  other.join();
}
