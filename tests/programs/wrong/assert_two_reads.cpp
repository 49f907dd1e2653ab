// Another thread comes between a check and the act on it. The accesses that creating and joining the threads order
// look similar, but are right.
// heddle: finds assert
// heddle-levels: -O0 -O2
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> seats{1}, sold{0}, opened{0};

static void sell() {
  if (seats.load() > 0) {
    seats.fetch_sub(1);
    sold.fetch_add(1);
  }
}

int main() {
  opened = 1;
  std::thread first([] {
    opened = 2;
    sell();
  });
  std::thread second(sell);
  first.join();
  second.join();
  assert(opened == 2);
  assert(sold == 1);
}
