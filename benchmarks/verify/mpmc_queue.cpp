// A bounded queue for many producers and many consumers, of cells with sequence numbers: the first half of THREADS
// threads puts an element in each, the second half takes one out each, and waits for it. BROKEN: a filled cell is
// announced without a release.
#include <atomic>
#include <cassert>

#include "threads.hpp"

#ifdef BROKEN
constexpr auto announce = std::memory_order_relaxed;
#else
constexpr auto announce = std::memory_order_release;
#endif

constexpr unsigned capacity = 2;

struct Cell {
  std::atomic<unsigned> turn;  ///< 2 * round: empty, 2 * round + 1: full
  int value;
};

Cell cells[capacity];
std::atomic<unsigned> put_next, take_next;
int taken[most_threads];

/// Takes the next number of `counter` whose cell is in the state `wanted`, and waits for that.
Cell& claim(std::atomic<unsigned>& counter, unsigned wanted, unsigned& round) {
  unsigned number = counter.load(std::memory_order_relaxed);
  for (;;) {
    Cell& cell = cells[number % capacity];
    round = number / capacity;
    if (cell.turn.load(std::memory_order_acquire) != 2 * round + wanted)
      number = counter.load(std::memory_order_relaxed);
    else if (counter.compare_exchange_strong(number, number + 1, std::memory_order_relaxed))
      return cell;
  }
}

void put(int value) {
  unsigned round = 0;
  Cell& cell = claim(put_next, 0, round);
  cell.value = value;
  cell.turn.store(2 * round + 1, announce);
}

int take() {
  unsigned round = 0;
  Cell& cell = claim(take_next, 1, round);
  const int value = cell.value;
  cell.turn.store(2 * round + 2, std::memory_order_release);
  return value;
}

int main(int argc, char** argv) {
  const int producers = argument(argc, argv, 1, 2) / 2;
  in_threads(2 * producers, [producers](int self) {
    if (self < producers)
      put(self + 1);
    else
      taken[self] = take();
  });
  int sum = 0;
  for (int value : taken) sum += value;
  assert(sum == producers * (producers + 1) / 2);
  return 0;
}
