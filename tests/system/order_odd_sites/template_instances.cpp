// A template with ten instances: each of its operations is one site.
#include <atomic>
#include <thread>
#include <tuple>
#include <utility>

template <int number>
struct Cell {
  int value = 0;
  std::atomic<bool> is_ready{false};

  void give() {
    value = number;
    is_ready.store(true, std::memory_order_seq_cst);
  }
  bool is_wrong() const { return is_ready.load(std::memory_order_seq_cst) && value != number; }
};

template <typename Numbers>
struct Cells;
template <int... numbers>
struct Cells<std::integer_sequence<int, numbers...>> {
  std::tuple<Cell<numbers + 1>...> cells;

  void give() { (std::get<Cell<numbers + 1>>(cells).give(), ...); }
  bool is_wrong() const { return (std::get<Cell<numbers + 1>>(cells).is_wrong() || ...); }
};

Cells<std::make_integer_sequence<int, 10>> cells;

int main() {
  std::thread giver([] { cells.give(); });
  const bool is_wrong = cells.is_wrong();
  giver.join();
  return is_wrong ? 1 : 0;
}
