// The instructions that Emulator knows. Opcodes are those of the Intel 64 manual, volume 2, appendix A.
#include "machine/instruction.hpp"

namespace heddle::machine {

namespace {
constexpr std::uint8_t fs_segment = 0x64;
}  // namespace

bool Emulator::step(State& state) {
  Instruction in(state.counter);
  for (;;) {
    const auto byte = static_cast<unsigned>(in.fetch(1));
    if (byte == 0x66)
      in.operand_16 = true;
    else if (byte == 0xf3)
      in.repeats = true;
    else if (byte == 0xf2)
      in.repeats_not = true;
    else if (byte == 0x2e || byte == 0x3e)
      continue;  // hints, and padding of long no-operations
    else if (byte == fs_segment)
      return false;
    else if (byte >= 0x40 && byte < 0x50) {
      in.has_rex = true;
      in.wide = (byte & 8U) != 0;
      in.rex_r = (byte & 4U) << 1;
      in.rex_x = (byte & 2U) << 2;
      in.rex_b = (byte & 1U) << 3;
    } else {
      in.opcode = byte;
      break;
    }
  }
  bool done = false;
  if (in.opcode == 0x0f) {
    in.opcode = static_cast<unsigned>(in.fetch(1));
    done = execute_two_byte(state, in);
  } else {
    done = execute(state, in);
  }
  return done;
}

bool Emulator::execute(State& state, Instruction& in) {
  const unsigned opcode = in.opcode;
  // The next instruction, unless this one jumps.
  const auto end = [&] {
    state.counter = in.at;
    return true;
  };
  Value a, b, result;
  if (opcode < 0x40 && (opcode & 7U) < 6) {
    const unsigned operation = opcode >> 3, form = opcode & 7U, bits = in.bits_by_opcode();
    if (form >= 4) {
      b = in.immediate(bits);
      in.rm = rax;
    } else if (!decode_operand(state, in) || !read_operand(state, in, bits, a)) {
      return false;
    }
    const bool to_register = form == 2 || form == 3;
    if (form >= 4)
      a = read_register(state, rax, bits, true);
    else
      b = read_register(state, in.reg, bits, in.has_rex);
    if (to_register) std::swap(a, b);
    if (!arithmetic(state, operation, bits, a, b, result)) return false;
    if (operation == 7) return end();
    if (form >= 4) return write_register(state, rax, bits, true, result) && end();
    if (to_register) return write_register(state, in.reg, bits, in.has_rex, result) && end();
    return write_operand(state, in, bits, result) && end();
  }
  if (opcode >= 0x50 && opcode < 0x58) return push(state, state.general[(opcode & 7U) | in.rex_b]) && end();
  if (opcode >= 0x58 && opcode < 0x60) return pop(state, a) && (state.general[(opcode & 7U) | in.rex_b] = a, end());
  if (opcode >= 0x70 && opcode < 0x80) {
    const std::uint64_t target = in.fetch_signed(1) + in.at;
    bool jumps = false;
    if (!condition(state, opcode & 15U, jumps)) return false;
    return end() && (!jumps || jump(state, {target, 0}));
  }
  if (opcode >= 0xb0 && opcode < 0xb8)
    return write_register(state, (opcode & 7U) | in.rex_b, 8, in.has_rex, in.immediate(8)) && end();
  if (opcode >= 0xb8 && opcode < 0xc0) {
    const unsigned number = (opcode & 7U) | in.rex_b;
    return write_register(state, number, in.bits(), true, {in.fetch(in.bits() / 8), 0}) && end();
  }
  switch (opcode) {
    case 0x63:  // movsxd
      if (!decode_operand(state, in) || !read_operand(state, in, 32, a)) return false;
      return write_register(state, in.reg, in.bits(), true, in.wide ? terms_.sign_extended(a, 32) : a) && end();
    case 0x68: return push(state, {in.fetch_signed(4), 0}) && end();
    case 0x6a: return push(state, {in.fetch_signed(1), 0}) && end();
    case 0x69:
    case 0x6b: {
      const unsigned bits = in.bits();
      in.immediate_after = opcode == 0x6b ? 1 : bits == 16 ? 2 : 4;
      if (!decode_operand(state, in) || !read_operand(state, in, bits, a)) return false;
      b = {in.fetch_signed(in.immediate_after), 0};
      state.flags.kind = Flags::Kind::unknown;
      return write_register(state, in.reg, bits, true, terms_.apply(Operator::multiply, a, b, bits)) && end();
    }
    case 0x80:
    case 0x81:
    case 0x83: {
      const unsigned bits = in.bits_by_opcode();
      in.immediate_after = opcode == 0x81 ? (bits == 16 ? 2 : 4) : 1;
      if (!decode_operand(state, in) || !read_operand(state, in, bits, a)) return false;
      b = {low_bits(in.fetch_signed(in.immediate_after), bits), 0};
      if (!arithmetic(state, in.reg & 7U, bits, a, b, result)) return false;
      return ((in.reg & 7U) == 7 || write_operand(state, in, bits, result)) && end();
    }
    case 0x84:
    case 0x85: {
      const unsigned bits = in.bits_by_opcode();
      if (!decode_operand(state, in) || !read_operand(state, in, bits, a)) return false;
      set_logic_flags(state, bits,
                      terms_.apply(Operator::bit_and, a, read_register(state, in.reg, bits, in.has_rex), bits));
      return end();
    }
    case 0x88:
    case 0x89: {
      const unsigned bits = in.bits_by_opcode();
      return decode_operand(state, in) &&
             write_operand(state, in, bits, read_register(state, in.reg, bits, in.has_rex)) && end();
    }
    case 0x8a:
    case 0x8b: {
      const unsigned bits = in.bits_by_opcode();
      return decode_operand(state, in) && read_operand(state, in, bits, a) &&
             write_register(state, in.reg, bits, in.has_rex, a) && end();
    }
    case 0x8d:
      return decode_operand(state, in) && in.in_memory && write_register(state, in.reg, in.bits(), true, in.address) &&
             end();
    case 0x90: return in.rex_b == 0 && end();  // also pause
    case 0x98:                                 // cdqe, cwde
      if (in.operand_16) return false;
      return write_register(state, rax, in.bits(), true, terms_.sign_extended(state.general[rax], in.bits() / 2)) &&
             end();
    case 0xa8:
    case 0xa9: {
      const unsigned bits = in.bits_by_opcode();
      set_logic_flags(state, bits,
                      terms_.apply(Operator::bit_and, read_register(state, rax, bits, true), in.immediate(bits), bits));
      return end();
    }
    case 0xc0:
    case 0xc1:
      in.immediate_after = 1;
      if (!decode_operand(state, in)) return false;
      return execute_shift(state, in, {in.fetch(1), 0}) && end();
    case 0xd0:
    case 0xd1: return decode_operand(state, in) && execute_shift(state, in, {1, 0}) && end();
    case 0xd2:
    case 0xd3: return decode_operand(state, in) && execute_shift(state, in, terms_.low(state.general[rcx], 8)) && end();
    case 0xc3: return pop(state, a) && jump(state, a);
    case 0xc6:
    case 0xc7: {
      const unsigned bits = in.bits_by_opcode();
      in.immediate_after = bits == 8 ? 1 : bits == 16 ? 2 : 4;
      if (!decode_operand(state, in)) return false;
      b = {in.fetch_signed(in.immediate_after), 0};
      return write_operand(state, in, bits, b) && end();
    }
    case 0xc9:  // leave
      state.general[rsp] = state.general[rbp];
      return pop(state, a) && (state.general[rbp] = a, end());
    case 0xe8: {
      const std::uint64_t target = in.fetch_signed(4) + in.at;
      return end() && push(state, {in.at, 0}) && jump(state, {target, 0});
    }
    case 0xe9:
    case 0xeb: {
      const std::uint64_t offset = in.fetch_signed(opcode == 0xe9 ? 4 : 1);
      return end() && jump(state, {in.at + offset, 0});
    }
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff: return execute_group(state, in);
    default: return false;
  }
}

bool Emulator::execute_shift(State& state, Instruction& in, Value count) {
  const unsigned bits = in.bits_by_opcode();
  Value a;
  if (!count.is_known() || !read_operand(state, in, bits, a)) return false;
  Operator op = Operator::shift_left;
  switch (in.reg & 7U) {
    case 4: break;
    case 5: op = Operator::shift_right; break;
    case 7: op = Operator::shift_arithmetic; break;
    default: return false;
  }
  const Value result = terms_.apply(op, a, count, bits);
  if ((count.constant & (bits == 64 ? 63U : 31U)) != 0)
    state.flags = {.kind = Flags::Kind::result, .bits = static_cast<std::uint8_t>(bits), .a = result, .b = {}};
  return write_operand(state, in, bits, result);
}

/// test, not, neg; inc, dec, and calls and jumps to computed addresses.
bool Emulator::execute_group(State& state, Instruction& in) {
  const bool is_far_group = in.opcode >= 0xfe;
  const unsigned bits = in.bits_by_opcode();
  if (!is_far_group) {
    // Only test has an immediate operand. The register field of ModRM tells.
    const auto modrm = *reinterpret_cast<const std::uint8_t*>(in.at);
    if (((modrm >> 3) & 6U) == 0) in.immediate_after = bits == 8 ? 1 : bits == 16 ? 2 : 4;
  }
  if (!decode_operand(state, in)) return false;
  const unsigned which = in.reg & 7U;
  Value a, result;
  const bool is_branch = is_far_group && which >= 2;
  if (!read_operand(state, in, is_branch ? 64 : bits, a)) return false;
  const auto end = [&] {
    state.counter = in.at;
    return true;
  };
  if (is_branch) {
    if (in.opcode != 0xff) return false;
    if (which == 6) return end() && push(state, a);
    // A pointer to a function in memory that may change says nothing about later calls.
    if (in.in_memory && !(in.address.is_known() && memory_.is_constant(in.address.constant))) return false;
    if (which == 2) return end() && push(state, {in.at, 0}) && jump(state, a);
    return which == 4 && jump(state, a);
  }
  if (is_far_group) {  // inc, dec: carry stays, and is not known here
    result = terms_.low(terms_.add(a, {which == 0 ? 1 : ~std::uint64_t{0}, 0}), bits);
    state.flags = {.kind = Flags::Kind::result, .bits = static_cast<std::uint8_t>(bits), .a = result, .b = {}};
    return write_operand(state, in, bits, result) && end();
  }
  switch (which) {
    case 0:
    case 1:
      set_logic_flags(
          state, bits,
          terms_.apply(Operator::bit_and, a, {low_bits(in.fetch_signed(in.immediate_after), bits), 0}, bits));
      return end();
    case 2:
      return write_operand(state, in, bits, terms_.apply(Operator::bit_xor, a, {~std::uint64_t{0}, 0}, bits)) && end();
    case 3:
      if (!arithmetic(state, 5, bits, {}, a, result)) return false;
      return write_operand(state, in, bits, result) && end();
    default: return false;
  }
}

bool Emulator::execute_two_byte(State& state, Instruction& in) {
  const unsigned opcode = in.opcode;
  const auto end = [&] {
    state.counter = in.at;
    return true;
  };
  Value a;
  bool holds = false;
  if (opcode >= 0x80 && opcode < 0x90) {
    const std::uint64_t target = in.fetch_signed(4) + in.at;
    if (!condition(state, opcode & 15U, holds)) return false;
    return end() && (!holds || jump(state, {target, 0}));
  }
  if (opcode >= 0x90 && opcode < 0xa0)
    return decode_operand(state, in) && condition(state, opcode & 15U, holds) &&
           write_operand(state, in, 8, {holds ? 1U : 0U, 0}) && end();
  if (opcode >= 0x40 && opcode < 0x50) {
    if (!decode_operand(state, in) || !read_operand(state, in, in.bits(), a)) return false;
    if (!condition(state, opcode & 15U, holds)) return false;
    if (!holds) a = read_register(state, in.reg, in.bits(), true);
    return write_register(state, in.reg, in.bits(), true, a) && end();
  }
  switch (opcode) {
    case 0x1e:
    case 0x1f: return decode_operand(state, in) && end();  // endbr64, nop
    case 0xaf: {
      if (!decode_operand(state, in) || !read_operand(state, in, in.bits(), a)) return false;
      const Value b = read_register(state, in.reg, in.bits(), true);
      state.flags.kind = Flags::Kind::unknown;
      return write_register(state, in.reg, in.bits(), true, terms_.apply(Operator::multiply, a, b, in.bits())) && end();
    }
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf: {
      const unsigned from = (opcode & 1U) == 0 ? 8 : 16;
      if (!decode_operand(state, in) || !read_operand(state, in, from, a)) return false;
      if (opcode >= 0xbe) a = terms_.sign_extended(a, from);
      return write_register(state, in.reg, in.bits(), true, a) && end();
    }
    default: return execute_vector(state, in) && end();
  }
}

/// Vector registers as compilers use them to copy and to clear 16 bytes.
bool Emulator::execute_vector(State& state, Instruction& in) {
  if (in.repeats_not || !decode_operand(state, in)) return false;
  const auto load_vector = [&](Value(&to)[2]) {
    if (!in.in_memory) {
      to[0] = state.vector[in.rm][0];
      to[1] = state.vector[in.rm][1];
      return true;
    }
    return load_at(state, in.address, 8, to[0]) && load_at(state, terms_.add(in.address, {8, 0}), 8, to[1]);
  };
  Value(&reg)[2] = state.vector[in.reg];
  Value from[2];
  switch (in.opcode) {
    case 0x10:
    case 0x11:
      if (in.repeats) return false;  // single numbers
      [[fallthrough]];
    case 0x28:
    case 0x29:
    case 0x6f:
    case 0x7f: {
      const bool is_integer = in.opcode == 0x6f || in.opcode == 0x7f;
      if (is_integer && !in.operand_16 && !in.repeats) return false;  // the registers of MMX
      if (in.opcode == 0x10 || in.opcode == 0x28 || in.opcode == 0x6f) {
        if (!load_vector(from)) return false;
        reg[0] = from[0];
        reg[1] = from[1];
        return true;
      }
      if (!in.in_memory) {
        state.vector[in.rm][0] = reg[0];
        state.vector[in.rm][1] = reg[1];
        return true;
      }
      return store(state, in.address, 8, reg[0]) && store(state, terms_.add(in.address, {8, 0}), 8, reg[1]);
    }
    case 0x57:
    case 0xef:  // xor of a register with itself
      if (in.in_memory || in.rm != in.reg || (in.opcode == 0xef && !in.operand_16)) return false;
      reg[0] = reg[1] = {};
      return true;
    case 0x6e:
      if (!in.operand_16 || !read_operand(state, in, in.wide ? 64 : 32, reg[0])) return false;
      reg[1] = {};
      return true;
    case 0x6c:  // punpcklqdq
      if (!in.operand_16 || !load_vector(from)) return false;
      reg[1] = from[0];
      return true;
    case 0x16:  // movhps
      return !in.operand_16 && !in.repeats && in.in_memory && load_at(state, in.address, 8, reg[1]);
    case 0x7e:
      if (in.repeats) {  // movq to a vector register
        if (in.in_memory ? !load_at(state, in.address, 8, from[0]) : (from[0] = state.vector[in.rm][0], false))
          return false;
        reg[0] = from[0];
        reg[1] = {};
        return true;
      }
      return in.operand_16 && write_operand(state, in, in.wide ? 64 : 32, reg[0]);
    case 0xd6:  // movq from a vector register
      return in.operand_16 && !in.repeats && in.in_memory && store(state, in.address, 8, reg[0]);
    default: return false;
  }
}

}  // namespace heddle::machine
