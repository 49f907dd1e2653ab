// How Emulator reads and writes the operands of instructions, and how it sets and tests flags.
#include "machine/instruction.hpp"

namespace heddle::machine {

// ---- operands ------------------------------------------------------------------------------------------------

Value Emulator::read_register(const State& state, unsigned number, unsigned bits, bool has_rex) const {
  // Without a REX prefix, bytes 4 to 7 are ah, ch, dh and bh.
  if (bits == 8 && !has_rex && number >= 4)
    return terms_.low(terms_.apply(Operator::shift_right, state.general[number - 4], {8, 0}, 64), 8);
  return terms_.low(state.general[number], bits);
}

bool Emulator::write_register(State& state, unsigned number, unsigned bits, bool has_rex, Value value) {
  if (bits == 8 && !has_rex && number >= 4) return false;
  value = terms_.low(value, bits);
  Value& to = state.general[number];
  if (bits >= 32) {
    to = value;
    return true;
  }
  // The upper bits stay.
  const Value upper = terms_.apply(Operator::bit_and, to, {~low_bits(~std::uint64_t{0}, bits), 0}, 64);
  to = upper.is_undefined() ? Value::undefined() : terms_.apply(Operator::bit_or, upper, value, 64);
  // Code that sets a byte of an undefined register uses that byte alone.
  if (upper.is_undefined()) to = value;
  return true;
}

bool Emulator::decode_operand(State& state, Instruction& in) {
  const auto byte = static_cast<unsigned>(in.fetch(1));
  const unsigned mod = byte >> 6;
  in.reg = ((byte >> 3) & 7U) | in.rex_r;
  in.rm = (byte & 7U) | in.rex_b;
  in.in_memory = mod != 3;
  if (!in.in_memory) return true;
  Value address;
  if ((byte & 7U) == 4) {
    const auto sib = static_cast<unsigned>(in.fetch(1));
    const unsigned index = ((sib >> 3) & 7U) | in.rex_x, base = (sib & 7U) | in.rex_b;
    if (index != 4) address = terms_.apply(Operator::shift_left, state.general[index], {sib >> 6, 0}, 64);
    address = terms_.add(address, (sib & 7U) == 5 && mod == 0 ? Value{in.fetch_signed(4), 0} : state.general[base]);
  } else if ((byte & 7U) == 5 && mod == 0) {
    const std::uint64_t offset = in.fetch_signed(4);
    address = {in.at + in.immediate_after + offset, 0};
  } else {
    address = state.general[in.rm];
  }
  if (mod == 1) address = terms_.add(address, {in.fetch_signed(1), 0});
  if (mod == 2) address = terms_.add(address, {in.fetch_signed(4), 0});
  in.address = address;
  return true;
}

bool Emulator::read_operand(const State& state, const Instruction& in, unsigned bits, Value& value) {
  if (in.in_memory) return load_at(state, in.address, bits / 8, value);
  value = read_register(state, in.rm, bits, in.has_rex);
  return true;
}

bool Emulator::write_operand(State& state, const Instruction& in, unsigned bits, Value value) {
  if (in.in_memory) return store(state, in.address, bits / 8, value);
  return write_register(state, in.rm, bits, in.has_rex, value);
}

// ---- flags ---------------------------------------------------------------------------------------------------

void Emulator::set_logic_flags(State& state, unsigned bits, Value result) {
  state.flags = {.kind = Flags::Kind::logic, .bits = static_cast<std::uint8_t>(bits), .a = result, .b = {}};
}

/// The operations of the first 64 opcodes: add, or, adc, sbb, and, sub, xor, cmp.
bool Emulator::arithmetic(State& state, unsigned operation, unsigned bits, Value a, Value b, Value& result) {
  const auto width = static_cast<std::uint8_t>(bits);
  if (operation == 2 || operation == 3) {  // with carry
    bool carry = false;
    if (!condition(state, 2, carry)) return false;
    const Value extra{carry ? 1U : 0U, 0};
    const bool is_mask = operation == 3 && a == b;  // sbb of a register from itself: 0 or -1
    if (is_mask)
      result = terms_.low({carry ? ~std::uint64_t{0} : 0, 0}, bits);
    else
      result = terms_.low(
          operation == 2 ? terms_.add(terms_.add(a, b), extra) : terms_.subtract(terms_.subtract(a, b), extra), bits);
    state.flags = {.kind = Flags::Kind::result, .bits = width, .a = result, .b = {}};
    return true;
  }
  switch (operation) {
    case 0: {
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
    case 1: result = terms_.apply(Operator::bit_or, a, b, bits); break;
    case 4: result = terms_.apply(Operator::bit_and, a, b, bits); break;
    case 6: result = terms_.apply(Operator::bit_xor, a, b, bits); break;
    default:  // sub, cmp
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
