// Two threads write an element of a local variable of main. The report names the variable, its member and the element.
// heddle: finds race
// heddle-mentions: data race on `tally.counts[1]`
// heddle-mentions: writes 1 to `tally.counts[1]`
// heddle-levels: -O0 -O2
#include <functional>
#include <thread>

struct Tally {
  long total = 0;
  int counts[3] = {};
};

static void add(Tally& tally, int index) { tally.counts[index] += 1; }

int main() {
  Tally tally;
  std::thread first(add, std::ref(tally), 1);
  std::thread second(add, std::ref(tally), 1);
  first.join();
  second.join();
}
