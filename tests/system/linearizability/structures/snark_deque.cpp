// Snark, the deque of Detlefs, Flood, Garthwaite, Martin, Shavit and Steele (Even better DCAS-based concurrent deques,
// 2000), and the corrections of Doherty, Detlefs, Groves, Flood, Luchangco, Martin, Moir, Shavit and Steele (DCAS is
// not a silver bullet for nonblocking algorithm design, 2004).
//
// The algorithm needs a compare-and-swap of two words. Here, all its links are fields of one word, so that it is an
// ordinary compare-and-swap: it fails only if one of the two fields has another value.
//
// 1: as published: a pop can find the deque empty that is not. 2: with the correction of that, two pops can return one
// element.
#include <atomic>
#include <cstdint>
#include <optional>

#include "structure.hpp"

template <int broken>
class Deque {
 public:
  void push_front(int value) { push(value, Side::left); }
  void push_back(int value) { push(value, Side::right); }
  std::optional<int> try_pop_front() { return pop(Side::left); }
  std::optional<int> try_pop_back() { return pop(Side::right); }

 private:
  enum Side { left, right };
  static Side other(Side side) { return side == left ? right : left; }

  // Nodes are numbers of 3 bits: 0 is the dummy, the others have the value of their element.
  using Node = unsigned;
  static constexpr Node dummy = 0;
  using Field = unsigned;  // its first bit in the word
  static Field hat(Side side) { return 3 * side; }
  static Field link(Node node, Side side) { return 6 + 6 * node + 3 * side; }

  Node load(Field field) const { return links_.load(std::memory_order_seq_cst) >> field & 7; }
  void store(Field field, Node node) {
    std::uint64_t old = links_.load(std::memory_order_relaxed);
    while (!links_.compare_exchange_strong(old, with(old, field, node), std::memory_order_seq_cst)) {
    }
  }
  static std::uint64_t with(std::uint64_t links, Field field, Node node) {
    return (links & ~(std::uint64_t{7} << field)) | std::uint64_t{node} << field;
  }
  bool dcas(Field a, Field b, Node old_a, Node old_b, Node new_a, Node new_b) {
    std::uint64_t old = links_.load(std::memory_order_seq_cst);
    while ((old >> a & 7) == old_a && (old >> b & 7) == old_b)
      if (links_.compare_exchange_strong(old, with(with(old, a, new_a), b, new_b), std::memory_order_seq_cst))
        return true;
    return false;
  }

  void push(int value, Side side) {
    const auto node = static_cast<Node>(value);
    values_[node].store(value, std::memory_order_relaxed);
    store(link(node, side), dummy);
    for (;;) {
      const Node end = load(hat(side));
      const Node beyond = load(link(end, side));
      if (beyond == end) {
        store(link(node, other(side)), dummy);
        const Node other_end = load(hat(other(side)));
        if (dcas(hat(side), hat(other(side)), end, other_end, node, node)) return;
      } else {
        store(link(node, other(side)), end);
        if (dcas(hat(side), link(end, side), end, beyond, node, node)) return;
      }
    }
  }

  std::optional<int> pop(Side side) {
    for (;;) {
      const Node end = load(hat(side));
      const Node other_end = load(hat(other(side)));
      if (load(link(end, side)) == end) {
        if (broken == 1 || load(hat(side)) == end) return std::nullopt;
        continue;
      }
      if (end == other_end) {
        if (dcas(hat(side), hat(other(side)), end, other_end, dummy, dummy))
          if (const int value = take(end); value != 0) return value;
        continue;
      }
      const Node inner = load(link(end, other(side)));
      if (!dcas(hat(side), link(end, other(side)), end, inner, inner, end)) continue;
      const int value = take(end);
      if (value == 0) continue;
      store(link(end, side), dummy);
      return value;
    }
  }
  /// 0: another pop has taken the element of the node.
  int take(Node node) {
    if (broken != 0) return values_[node].load(std::memory_order_seq_cst);
    return values_[node].exchange(0, std::memory_order_seq_cst);
  }

  std::atomic<std::uint64_t> links_{0};  // the hats, and the links of 8 nodes
  std::atomic<int> values_[8] = {};
};

template <int broken>
int test(const Sizes& sizes) {
  using Sequential = heddle::specification::deque<int>;
  return heddle::linearizable<Deque<broken>>("deque", Sequential())
      .operation(
          "push_front", [](auto& deque, int value) { deque.push_front(value); }, heddle::fresh)
      .operation(
          "push_back", [](auto& deque, int value) { deque.push_back(value); }, heddle::fresh)
      .operation("pop_front", [](auto& deque) { return deque.try_pop_front(); })
      .operation("pop_back", [](auto& deque) { return deque.try_pop_back(); })
      .up_to(sizes.on_two_threads, 2)
      .up_to(sizes.on_three_threads, 3)
      .initially("push_back", 2)
      .finally("pop_front", heddle::until_empty)
      .run();
}

int main(int argc, char** argv) { return run_variant(argc, argv, {test<0>, test<1>, test<2>}); }
