#include "machine/terms.hpp"

#include "base/hash.hpp"

namespace heddle::machine {

namespace {

std::uint64_t compute(Operator op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  switch (op) {
    case Operator::multiply: return low_bits(a * b, bits);
    case Operator::bit_and: return a & b;
    case Operator::bit_or: return a | b;
    case Operator::bit_xor: return a ^ b;
    case Operator::shift_left: return b >= bits ? 0 : low_bits(a << b, bits);
    case Operator::shift_right: return b >= bits ? 0 : a >> b;
    default: return low_bits(static_cast<std::uint64_t>(signed_bits(a, bits) >> (b >= bits ? bits - 1 : b)), bits);
  }
}

}  // namespace

Value Terms::node(Operator op, Value a, Value b, unsigned bits) {
  if (a.is_undefined() || b.is_undefined()) return Value::undefined();
  if (is_full()) return {0, 1};
  if (table_.empty()) table_.resize(arena_, table_size);
  const Node wanted{a, b, op, static_cast<std::uint8_t>(bits)};
  std::size_t at = base::hash_words(a.constant, a.term, b.constant, b.term, static_cast<std::uint64_t>(op), bits);
  for (at %= table_size; table_[at] != 0; at = (at + 1) % table_size)
    if (nodes_[table_[at] - 1U] == wanted) return {0, table_[at]};
  nodes_.push_back(arena_, wanted);
  table_[at] = static_cast<std::uint16_t>(nodes_.size());
  return {0, table_[at]};
}

Value Terms::fresh() { return node(Operator::symbol, {++symbols_, 0}, {}, 64); }

Value Terms::add(Value a, Value b) {
  if (a.is_undefined() || b.is_undefined()) return Value::undefined();
  const std::uint64_t constant = a.constant + b.constant;
  if (b.is_known()) return {constant, a.term};
  if (a.is_known()) return {constant, b.term};
  const Value first{0, a.term < b.term ? a.term : b.term}, second{0, a.term < b.term ? b.term : a.term};
  return {constant, node(Operator::add, first, second, 64).term};
}

Value Terms::subtract(Value a, Value b) {
  if (a.is_undefined() || b.is_undefined()) return Value::undefined();
  const std::uint64_t constant = a.constant - b.constant;
  if (b.is_known()) return {constant, a.term};
  if (a.term == b.term) return {constant, 0};
  return {constant, node(Operator::subtract, {0, a.term}, {0, b.term}, 64).term};
}

/// low(low(x, 32) + 1, 32) becomes low(x + 1, 32), so that sums are the same however they were computed.
Value Terms::low(Value a, unsigned bits) {
  if (bits >= 64 || a.is_undefined()) return a;
  while (!a.is_known()) {
    const Node& inner = nodes_[a.term - 1];
    if (inner.op != Operator::low && inner.op != Operator::memory) break;
    if (inner.bits <= bits && a.constant == 0) return a;
    if (inner.op != Operator::low || inner.bits < bits) break;
    a = {a.constant + inner.a.constant, inner.a.term};
  }
  a.constant = low_bits(a.constant, bits);
  return a.is_known() ? a : node(Operator::low, a, {}, bits);
}

Value Terms::sign_extended(Value a, unsigned bits) {
  if (bits >= 64) return a;
  a = low(a, bits);
  if (a.is_known()) return {static_cast<std::uint64_t>(signed_bits(a.constant, bits)), 0};
  return node(Operator::sign_extended, a, {}, bits);
}

bool Terms::is_instance(Value general, Value particular, Substitution& substitution) const {
  if (general.is_undefined() || particular.is_undefined()) return false;
  if (general.is_known()) return general == particular;
  const Node& node = nodes_[general.term - 1];
  if (node.op == Operator::symbol) {
    const Value value{particular.constant - general.constant, particular.term};
    for (std::uint32_t i = 0; i < substitution.count; ++i)
      if (substitution.symbols[i] == general.term) return substitution.values[i] == value;
    if (substitution.count == Substitution::most) return false;
    substitution.symbols[substitution.count] = general.term;
    substitution.values[substitution.count++] = value;
    return true;
  }
  if (particular.is_known() || general.constant != particular.constant) return false;
  const Node& other = nodes_[particular.term - 1];
  return node.op == other.op && node.bits == other.bits && is_instance(node.a, other.a, substitution) &&
         is_instance(node.b, other.b, substitution);
}

bool Terms::involves(Value value, Value symbol) const {
  if (value.is_known() || value.is_undefined()) return false;
  if (value.term == symbol.term) return true;
  const Node& node = nodes_[value.term - 1];
  return node.op != Operator::symbol && (involves(node.a, symbol) || involves(node.b, symbol));
}

std::optional<std::uint64_t> Terms::distance(Value value, Value symbol, unsigned bits) const {
  std::uint64_t constant = value.constant;
  while (value.term != symbol.term) {
    if (value.is_known() || value.is_undefined()) return {};
    const Node& node = nodes_[value.term - 1];
    if ((node.op != Operator::low && node.op != Operator::sign_extended) || node.bits < bits) return {};
    value = node.a;
    constant += value.constant;
  }
  return constant - symbol.constant;
}

Value Terms::memory(Value address, unsigned bits) { return node(Operator::memory, address, {}, bits); }

Value Terms::apply(Operator op, Value a, Value b, unsigned bits) {
  const bool shifts = op >= Operator::shift_left;
  a = low(a, bits);
  // The processor takes a shift modulo 32, or 64 for 64 bits.
  b = shifts ? (b.is_known() ? Value{b.constant & (bits == 64 ? 63U : 31U), 0} : b) : low(b, bits);
  if (a.is_known() && b.is_known()) return {compute(op, a.constant, b.constant, bits), 0};
  if (shifts && b == Value{}) return a;
  if (a == b && op == Operator::bit_xor) return {};  // also if undefined: the usual way to clear a register
  if (a == b && (op == Operator::bit_and || op == Operator::bit_or)) return a;
  return node(op, a, b, bits);
}

}  // namespace heddle::machine
