// How Emulator reads and writes the operands of instructions, and how it sets and tests flags.
#include "machine/emulator.hpp"

namespace heddle::machine {

// ---- operands ------------------------------------------------------------------------------------------------

/// The program counter is at the next instruction.
Value Emulator::address_of(const State& state, const MemoryOperand& memory) const {
  Value address{static_cast<std::uint64_t>(memory.displacement), 0};
  if (memory.is_relative) address.constant += state.counter;
  if (memory.base != no_register) address = terms_.add(address, state.general[memory.base]);
  if (memory.index == no_register) return address;
  return terms_.add(address, terms_.apply(Operator::shift_left, state.general[memory.index], {memory.shift, 0}, 64));
}

/// An immediate operand has the size of the first operand.
bool Emulator::read_operand(const State& state, const Instruction& in, const Operand& operand, Value& value) {
  switch (operand.kind) {
    case Operand::Kind::none: return false;
    case Operand::Kind::general: value = terms_.low(state.general[operand.number], operand.bits); return true;
    case Operand::Kind::high_byte:
      value = terms_.low(terms_.apply(Operator::shift_right, state.general[operand.number], {8, 0}, 64), 8);
      return true;
    case Operand::Kind::vector:
      value = terms_.low(state.vector[operand.number][0], operand.bits < 64 ? operand.bits : 64);
      return true;
    case Operand::Kind::memory: return load_at(state, address_of(state, in.memory), operand.bits / 8U, value);
    case Operand::Kind::immediate:
      value = {low_bits(static_cast<std::uint64_t>(in.immediate), in.operands[0].bits), 0};
      return true;
    case Operand::Kind::relative: value = {state.counter + static_cast<std::uint64_t>(in.immediate), 0}; return true;
  }
  return false;
}

bool Emulator::write_operand(State& state, const Instruction& in, const Operand& operand, Value value) {
  if (operand.kind == Operand::Kind::memory)
    return store(state, address_of(state, in.memory), operand.bits / 8U, value);
  return operand.kind == Operand::Kind::general && write_register(state, operand, value);
}

bool Emulator::write_register(State& state, const Operand& operand, Value value) {
  value = terms_.low(value, operand.bits);
  Value& to = state.general[operand.number];
  if (operand.bits >= 32) {
    to = value;
    return true;
  }
  // The upper bits stay. Code that sets a byte of an undefined register uses that byte alone.
  const Value upper = terms_.apply(Operator::bit_and, to, {~low_bits(~std::uint64_t{0}, operand.bits), 0}, 64);
  to = upper.is_undefined() ? value : terms_.apply(Operator::bit_or, upper, value, 64);
  return true;
}

bool Emulator::read_vector(const State& state, const Instruction& in, const Operand& operand, Value (&value)[2]) {
  if (operand.kind == Operand::Kind::memory) {
    const Value address = address_of(state, in.memory);
    return load_at(state, address, 8, value[0]) && load_at(state, terms_.add(address, {8, 0}), 8, value[1]);
  }
  value[0] = state.vector[operand.number][0];
  value[1] = state.vector[operand.number][1];
  return true;
}

bool Emulator::write_vector(State& state, const Instruction& in, const Operand& operand, const Value (&value)[2]) {
  if (operand.kind == Operand::Kind::memory) {
    const Value address = address_of(state, in.memory);
    return store(state, address, 8, value[0]) && store(state, terms_.add(address, {8, 0}), 8, value[1]);
  }
  state.vector[operand.number][0] = value[0];
  state.vector[operand.number][1] = value[1];
  return true;
}

// ---- flags ---------------------------------------------------------------------------------------------------

void Emulator::set_logic_flags(State& state, unsigned bits, Value result) {
  state.flags = {.kind = Flags::Kind::logic, .bits = static_cast<std::uint8_t>(bits), .a = result, .b = {}};
}

/// From add to compare, in the order of the opcodes.
bool Emulator::arithmetic(State& state, Operation operation, unsigned bits, Value a, Value b, Value& result) {
  const auto width = static_cast<std::uint8_t>(bits);
  switch (operation) {
    case Operation::add_with_carry:
    case Operation::subtract_with_borrow: {
      bool carry = false;
      if (!condition(state, 2, carry)) return false;
      const Value extra{carry ? 1U : 0U, 0};
      if (operation == Operation::add_with_carry)
        result = terms_.add(terms_.add(a, b), extra);
      else if (a == b)  // sbb of a register from itself: 0 or -1
        result = {carry ? ~std::uint64_t{0} : 0, 0};
      else
        result = terms_.subtract(terms_.subtract(a, b), extra);
      result = terms_.low(result, bits);
      state.flags = {.kind = Flags::Kind::result, .bits = width, .a = result, .b = {}};
      return true;
    }
    case Operation::add: {
      result = terms_.low(terms_.add(a, b), bits);
      state.flags = {.kind = Flags::Kind::result, .bits = width, .a = result, .b = {}};
      if (!a.is_known() || !b.is_known()) return true;
      const auto is_negative = [bits](const Value& value) { return signed_bits(value.constant, bits) < 0; };
      state.flags.kind = Flags::Kind::known;
      state.flags.carry = result.constant < low_bits(a.constant, bits);
      state.flags.zero = result.constant == 0;
      state.flags.sign = is_negative(result);
      state.flags.overflow = is_negative(a) == is_negative(b) && is_negative(a) != is_negative(result);
      return true;
    }
    case Operation::bit_or: result = terms_.apply(Operator::bit_or, a, b, bits); break;
    case Operation::bit_and: result = terms_.apply(Operator::bit_and, a, b, bits); break;
    case Operation::bit_xor: result = terms_.apply(Operator::bit_xor, a, b, bits); break;
    default:  // subtract, compare
      result = terms_.low(terms_.subtract(a, b), bits);
      state.flags = {.kind = Flags::Kind::difference, .bits = width, .a = a, .b = b};
      return true;
  }
  set_logic_flags(state, bits, result);
  return true;
}

/// Conditions in the order of their codes: overflow, carry, zero, carry or zero, sign, parity, less, less or equal. The
/// lowest bit of the code negates. Returns false if the condition is not known.
bool Emulator::condition(State& state, unsigned code, bool& holds) {
  using Relation = Assumptions::Relation;
  const Flags& flags = state.flags;
  const unsigned bits = flags.bits, which = code >> 1;
  const auto ask = [&](Relation relation, Value a, Value b) { return assumptions_->holds(relation, bits, a, b); };
  const Value zero;
  bool answer = false;
  switch (flags.kind) {
    case Flags::Kind::unknown: return false;
    case Flags::Kind::known: {
      const bool less = flags.sign != flags.overflow;
      const bool answers[] = {flags.overflow, flags.carry, flags.zero, flags.carry || flags.zero,
                              flags.sign,     false,       less,       less || flags.zero};
      if (which == 5) return false;
      answer = answers[which];
      break;
    }
    case Flags::Kind::difference:
      switch (which) {
        case 1: answer = ask(Relation::less_unsigned, flags.a, flags.b); break;
        case 2: answer = ask(Relation::equal, flags.a, flags.b); break;
        case 3: answer = !ask(Relation::less_unsigned, flags.b, flags.a); break;
        case 4: answer = ask(Relation::less_signed, terms_.low(terms_.subtract(flags.a, flags.b), bits), zero); break;
        case 6: answer = ask(Relation::less_signed, flags.a, flags.b); break;
        case 7: answer = !ask(Relation::less_signed, flags.b, flags.a); break;
        default: return false;
      }
      break;
    case Flags::Kind::logic:
      switch (which) {
        case 0:
        case 1: break;
        case 2:
        case 3: answer = ask(Relation::equal, flags.a, zero); break;
        case 4:
        case 6: answer = ask(Relation::less_signed, flags.a, zero); break;
        case 7: answer = !ask(Relation::less_signed, zero, flags.a); break;
        default: return false;
      }
      break;
    case Flags::Kind::result:
      if (which == 2)
        answer = ask(Relation::equal, flags.a, zero);
      else if (which == 4)
        answer = ask(Relation::less_signed, flags.a, zero);
      else
        return false;
      break;
  }
  holds = answer != ((code & 1U) != 0);
  return !assumptions_->is_full();
}

}  // namespace heddle::machine
