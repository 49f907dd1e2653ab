// Independent reads of independent writes, sequentially consistent: all readers agree on one order of the writes.
// Heddle says: nothing, in any execution.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x{0}, y{0};

int main() {
  constexpr auto order = std::memory_order_seq_cst;
  int x_first[2], y_first[2];
  std::thread write_x([] { x.store(1, std::memory_order_seq_cst); });
  std::thread write_y([] { y.store(1, std::memory_order_seq_cst); });
  std::thread read_xy([&] {
    x_first[0] = x.load(order);
    x_first[1] = y.load(order);
  });
  std::thread read_yx([&] {
    y_first[0] = y.load(order);
    y_first[1] = x.load(order);
  });
  write_x.join();
  write_y.join();
  read_xy.join();
  read_yx.join();
  const bool x_came_first = x_first[0] == 1 && x_first[1] == 0;
  const bool y_came_first = y_first[0] == 1 && y_first[1] == 0;
  assert(!(x_came_first && y_came_first));
}
