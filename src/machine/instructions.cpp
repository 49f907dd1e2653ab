// What Emulator does for each operation.
#include "machine/emulator.hpp"

namespace heddle::machine {

/// An operand that is relative to a segment or cut off at 32 bits is refused, and so is what other threads see as one
/// access. Afterwards the program counter is at the next instruction, unless this one jumps.
bool Emulator::execute(State& state, const Instruction& in) {
  if (in.memory.is_present && (in.memory.is_thread_local || in.memory.has_32_bits)) return false;
  if (in.is_locked) return false;
  state.counter += in.length;
  const Operand &first = in.operands[0], &second = in.operands[1];
  Value a, b, result;
  bool holds = false;
  switch (in.operation) {
    case Operation::add:
    case Operation::bit_or:
    case Operation::add_with_carry:
    case Operation::subtract_with_borrow:
    case Operation::bit_and:
    case Operation::subtract:
    case Operation::bit_xor:
    case Operation::compare:
      if (!read_operand(state, in, first, a) || !read_operand(state, in, second, b)) return false;
      if (!arithmetic(state, in.operation, first.bits, a, b, result)) return false;
      return in.operation == Operation::compare || write_operand(state, in, first, result);
    case Operation::test:
      if (!read_operand(state, in, first, a) || !read_operand(state, in, second, b)) return false;
      set_logic_flags(state, first.bits, terms_.apply(Operator::bit_and, a, b, first.bits));
      return true;
    case Operation::multiply: {
      const bool has_three = in.operands[2].kind != Operand::Kind::none;
      if (!read_operand(state, in, second, a) || !read_operand(state, in, has_three ? in.operands[2] : first, b))
        return false;
      state.flags.kind = Flags::Kind::unknown;
      return write_operand(state, in, first, terms_.apply(Operator::multiply, a, b, first.bits));
    }
    case Operation::move: return read_operand(state, in, second, a) && write_operand(state, in, first, a);
    case Operation::move_sign:
      return read_operand(state, in, second, a) &&
             write_operand(state, in, first, terms_.sign_extended(a, second.bits));
    case Operation::move_if:
      return read_operand(state, in, second, a) && condition(state, in.condition, holds) &&
             (holds || read_operand(state, in, first, a)) && write_operand(state, in, first, a);
    case Operation::set_if:
      return condition(state, in.condition, holds) && write_operand(state, in, first, {holds ? 1U : 0U, 0});
    case Operation::load_address: return write_operand(state, in, first, address_of(state, in.memory));
    case Operation::leave: state.general[rsp] = state.general[rbp]; return pop(state, state.general[rbp]);
    case Operation::nothing: return true;
    case Operation::bit_not:
    case Operation::negate:
    case Operation::increment:
    case Operation::decrement: return execute_unary(state, in);
    case Operation::shift_left:
    case Operation::shift_right:
    case Operation::shift_left_alias:
    case Operation::shift_arithmetic: return execute_shift(state, in);
    case Operation::push:
    case Operation::pop:
    case Operation::call:
    case Operation::jump:
    case Operation::jump_if:
    case Operation::ret: return execute_branch(state, in);
    default: return execute_vector(state, in);
  }
}

bool Emulator::execute_unary(State& state, const Instruction& in) {
  const Operand& operand = in.operands[0];
  const unsigned bits = operand.bits;
  Value a, result;
  if (!read_operand(state, in, operand, a)) return false;
  switch (in.operation) {
    case Operation::bit_not: result = terms_.apply(Operator::bit_xor, a, {~std::uint64_t{0}, 0}, bits); break;
    case Operation::negate:
      if (!arithmetic(state, Operation::subtract, bits, {}, a, result)) return false;
      break;
    default: {  // carry stays, and is not known here
      const bool adds = in.operation == Operation::increment;
      result = terms_.low(terms_.add(a, {adds ? 1 : ~std::uint64_t{0}, 0}), bits);
      state.flags = {.kind = Flags::Kind::result, .bits = static_cast<std::uint8_t>(bits), .a = result, .b = {}};
    }
  }
  return write_operand(state, in, operand, result);
}

bool Emulator::execute_shift(State& state, const Instruction& in) {
  const unsigned bits = in.operands[0].bits;
  Value a, count;
  if (!read_operand(state, in, in.operands[0], a) || !read_operand(state, in, in.operands[1], count)) return false;
  count = terms_.low(count, 8);
  if (!count.is_known()) return false;
  const Operator op = in.operation == Operation::shift_right        ? Operator::shift_right
                      : in.operation == Operation::shift_arithmetic ? Operator::shift_arithmetic
                                                                    : Operator::shift_left;
  const Value result = terms_.apply(op, a, count, bits);
  if ((count.constant & (bits == 64 ? 63U : 31U)) != 0)
    state.flags = {.kind = Flags::Kind::result, .bits = static_cast<std::uint8_t>(bits), .a = result, .b = {}};
  return write_operand(state, in, in.operands[0], result);
}

/// Jumps, and what else uses the stack.
bool Emulator::execute_branch(State& state, const Instruction& in) {
  const Operand& operand = in.operands[0];
  Value a;
  bool jumps = true;
  switch (in.operation) {
    case Operation::push:
      if (operand.kind == Operand::Kind::immediate) return push(state, {static_cast<std::uint64_t>(in.immediate), 0});
      return operand.bits == 64 && read_operand(state, in, operand, a) && push(state, a);
    case Operation::pop:
      if (operand.kind != Operand::Kind::general || operand.bits != 64 || !pop(state, a)) return false;
      return write_operand(state, in, operand, a);
    case Operation::ret: return operand.kind == Operand::Kind::none && pop(state, a) && jump(state, a);
    case Operation::jump_if:
      if (in.condition == Instruction::no_condition || !condition(state, in.condition, jumps)) return false;
      break;
    default: break;
  }
  // A pointer to a function in memory that may change says nothing about later calls.
  const Value address = address_of(state, in.memory);
  if (in.memory.is_present && !(address.is_known() && memory_.is_constant(address.constant))) return false;
  if (!read_operand(state, in, operand, a)) return false;
  if (in.operation == Operation::call && !push(state, {state.counter, 0})) return false;
  return !jumps || jump(state, a);
}

/// Vector registers as compilers use them to copy and to clear 16 bytes.
bool Emulator::execute_vector(State& state, const Instruction& in) {
  const Operand &to = in.operands[0], &from = in.operands[1];
  Value value[2];
  switch (in.operation) {
    case Operation::vector_move: return read_vector(state, in, from, value) && write_vector(state, in, to, value);
    case Operation::vector_move_low: {
      if (!read_operand(state, in, from, value[0])) return false;
      return to.kind == Operand::Kind::vector ? write_vector(state, in, to, value)
                                              : write_operand(state, in, to, value[0]);
    }
    case Operation::vector_move_high: return read_operand(state, in, from, state.vector[to.number][1]);
    case Operation::vector_unpack:
      if (!read_vector(state, in, from, value)) return false;
      state.vector[to.number][1] = value[0];
      return true;
    case Operation::vector_xor:
      return from.kind == Operand::Kind::vector && from.number == to.number && write_vector(state, in, to, value);
    default: return false;
  }
}

}  // namespace heddle::machine
