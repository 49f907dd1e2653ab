// Values of registers and memory while machine code is emulated: numbers, or terms over symbols. A symbol stands for a
// value that is not known, such as what an atomic load will return. Equal terms are equal values. Terms that differ may
// be equal values all the same, so a comparison of terms errs on the side of "different".
//
// Terms are kept once each, so that two terms are equal if and only if they have the same number.
#pragma once

#include <cstdint>
#include <optional>

#include "base/arena.hpp"

namespace heddle::machine {

/// A number, or a term plus a number, modulo 2^64; or undefined, such as a register that a call does not preserve. Code
/// may move undefined values, but they are unlike every value, themselves included (see is_same()).
struct Value {
  std::uint64_t constant = 0;
  std::uint32_t term = 0;  ///< 0: none

  static constexpr std::uint32_t undefined_term = 0xffffffffU;
  static constexpr Value undefined() { return {0, undefined_term}; }
  bool is_known() const { return term == 0; }
  bool is_undefined() const { return term == undefined_term; }
  bool is_same(const Value& other) const { return *this == other && !is_undefined(); }
  friend bool operator==(const Value&, const Value&) = default;
};

enum class Operator : std::uint8_t {
  symbol,
  low,            ///< the low bits of a, zero-extended
  sign_extended,  ///< the low bits of a, sign-extended
  memory,         ///< what memory holds at address a
  add,
  subtract,
  multiply,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  shift_arithmetic,
};

/// The value as an unsigned or signed number of so many bits.
constexpr std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
constexpr std::int64_t signed_bits(std::uint64_t value, unsigned bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// Values for symbols.
struct Substitution {
  static constexpr std::uint32_t most = 12;
  std::uint32_t symbols[most];
  Value values[most];
  std::uint32_t count = 0;
};

class Terms {
 public:
  explicit Terms(base::Arena& arena) : arena_(arena) {}

  /// Forgets all terms. The arena has been reset, or is about to be.
  void clear() {
    nodes_.forget();
    table_.forget();
    symbols_ = 0;
  }
  /// True if there were too many terms. Values are wrong from then on.
  bool is_full() const { return nodes_.size() > most_nodes; }

  /// A symbol that is unlike every other.
  Value fresh();
  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value low(Value a, unsigned bits);
  Value sign_extended(Value a, unsigned bits);
  Value memory(Value address, unsigned bits);
  /// multiply, the bit_ operators and the shifts: of the low bits of both, with a result of so many bits.
  Value apply(Operator op, Value a, Value b, unsigned bits);
  /// The number n for which the low bits of `value` are those of the symbol plus n. Nothing if there is none.
  std::optional<std::uint64_t> distance(Value value, Value symbol, unsigned bits) const;
  /// Whether the value depends on the symbol.
  bool involves(Value value, Value symbol) const;
  /// Whether `particular` is what `general` becomes if values are put in for its symbols: those of the substitution,
  /// and others, which are added to it.
  bool is_instance(Value general, Value particular, Substitution& substitution) const;

 private:
  struct Node {
    Value a, b;
    Operator op = Operator::symbol;
    std::uint8_t bits = 0;
    friend bool operator==(const Node&, const Node&) = default;
  };
  static constexpr std::size_t most_nodes = 400;
  static constexpr std::size_t table_size = 1024;

  Value node(Operator op, Value a, Value b, unsigned bits);

  base::Arena& arena_;
  base::ArenaVector<Node> nodes_;  ///< term n is nodes_[n - 1]
  base::ArenaVector<std::uint16_t> table_;
  std::uint64_t symbols_ = 0;
};

}  // namespace heddle::machine
