// Programs whose number of execution graphs mathematics gives: synthetic NAME N. All accesses are relaxed.
//
//   writers     N threads write to one location                                            N!
//   increments  N threads add to one location                                              N!
//   exchanges   N threads compare-exchange from 0: one of them is the first                N
//   readers     N threads read once what another one writes once                           2^N
//   mixed       N threads write to one location, and N threads read it                     N! * (N+1)^N
//   chain       one thread writes N times, another one reads N times: never backwards      (2N choose N)
//   buffers     two threads, N times: each writes to its location and reads the other's    4^N
//   lastzero    cell i becomes cell i-1 plus 1, for i from 1 to N in a thread each;
//               another one looks for the last cell that is 0, from the end                (N+1) * 2^(N-1)
//
// And two without a formula:
//   fibonacci   two threads, N times: one sets x to x + y, the other one y to x + y
//   rotation    thread i, from 0 to N-1, compare-exchanges i to i + 1, and then i + 1 to i + 2
#include <atomic>
#include <cstring>

#include "threads.hpp"

constexpr auto relaxed = std::memory_order_relaxed;

std::atomic<int> x;
std::atomic<int> cells[2 * most_threads];

void writers(int n) {
  in_threads(n, [](int self) { x.store(self + 1, relaxed); });
}

void increments(int n) {
  in_threads(n, [](int) { x.fetch_add(1, relaxed); });
}

void exchanges(int n) {
  in_threads(n, [](int self) {
    int expected = 0;
    x.compare_exchange_strong(expected, self + 1, relaxed);
  });
}

void readers(int n) {
  in_threads(n + 1, [](int self) {
    if (self == 0)
      x.store(1, relaxed);
    else
      x.load(relaxed);
  });
}

void mixed(int n) {
  in_threads(2 * n, [n](int self) {
    if (self < n)
      x.store(self + 1, relaxed);
    else
      x.load(relaxed);
  });
}

void chain(int n) {
  in_threads(2, [n](int self) {
    for (int i = 0; i < n; ++i) {
      if (self == 0)
        x.store(i + 1, relaxed);
      else
        x.load(relaxed);
    }
  });
}

void buffers(int n) {
  in_threads(2, [n](int self) {
    for (int i = 0; i < n; ++i) {
      cells[2 * i + self].store(1, relaxed);
      cells[2 * i + 1 - self].load(relaxed);
    }
  });
}

void lastzero(int n) {
  in_threads(n + 1, [n](int self) {
    if (self != 0) return cells[self].store(cells[self - 1].load(relaxed) + 1, relaxed);
    for (int i = n; cells[i].load(relaxed) != 0; --i) {
    }
  });
}

void fibonacci(int n) {
  cells[0] = cells[1] = 1;
  in_threads(2, [n](int self) {
    for (int i = 0; i < n; ++i) cells[self].store(cells[0].load(relaxed) + cells[1].load(relaxed), relaxed);
  });
}

void rotation(int n) {
  in_threads(n, [](int self) {
    for (int from = self; from < self + 2; ++from) {
      int expected = from;
      x.compare_exchange_strong(expected, from + 1, relaxed);
    }
  });
}

int main(int argc, char** argv) {
  constexpr struct {
    const char* name;
    void (*run)(int);
  } programs[] = {{"writers", writers},  {"increments", increments}, {"exchanges", exchanges},
                  {"readers", readers},  {"mixed", mixed},           {"chain", chain},
                  {"buffers", buffers},  {"lastzero", lastzero},     {"fibonacci", fibonacci},
                  {"rotation", rotation}};
  for (const auto& program : programs) {
    if (argc != 3 || std::strcmp(argv[1], program.name) != 0) continue;
    program.run(std::atoi(argv[2]));
    return 0;
  }
  return 2;
}
