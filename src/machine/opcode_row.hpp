// A row of the table of opcodes, in the notation of the Intel 64 manual (volume 2, appendix A).
#pragma once

#include "machine/instruction.hpp"

namespace heddle::machine {

/// Where an operand is encoded. The manual has a letter for each.
enum class Place : std::uint8_t {
  none,
  rm,          ///< E: ModRM names a general register or memory
  reg,         ///< G: the register field of ModRM
  opcode,      ///< Z: the low bits of the opcode
  vvvv,        ///< B: a field of the VEX prefix
  fixed,       ///< the register Form::number
  vector_rm,   ///< W: ModRM names a vector register or memory
  vector_reg,  ///< V: the register field of ModRM
  immediate,   ///< I
  one,         ///< the number 1
  relative,    ///< J
  absolute,    ///< O: an address in the instruction
};

enum class Size : std::uint8_t {
  none,  ///< not fixed, or not known
  b,     ///< 1 byte
  w,     ///< 2 bytes
  d,     ///< 4 bytes
  q,     ///< 8 bytes
  dq,    ///< 16 bytes
  v,     ///< the operand size: 2, 4 or 8 bytes
  bv,    ///< 1 byte if the opcode is even, else the operand size
  half,  ///< of the operand size
  y,     ///< 4 or 8 bytes
  yb,    ///< 4 or 8 bytes of a register, 1 of memory
  yw,    ///< 4 or 8 bytes of a register, 2 of memory
  yy,    ///< 8 or 16 bytes
  s,     ///< 2 or 8 bytes: what push and pop move
};

struct Form {
  Place place = Place::none;
  Size size = Size::none;
  Access access = Access::read;
  std::uint8_t number = 0;

  constexpr bool is_in_modrm() const {
    return place == Place::rm || place == Place::reg || place == Place::vector_rm || place == Place::vector_reg;
  }
  constexpr Form with(Access some) const { return {place, size, some, number}; }
};
constexpr Form out(Form form) { return form.with(Access::write); }
constexpr Form inout(Form form) { return form.with(Access::read_write); }
constexpr Form unused(Form form) { return form.with(Access::none); }

/// Which instructions a row describes, and what they do. A table of rows is read like a list of sentences: the opcode,
/// the operation, the operands, and what else is to be said.
struct Row {
  static constexpr std::uint8_t legacy = 1, vex = 2, evex = 4;                     ///< encodings
  static constexpr std::uint8_t plain = 1, with_66 = 2, with_f3 = 4, with_f2 = 8;  ///< prefixes
  enum class Rm : std::uint8_t { any, memory, a_register };

  std::uint8_t map = 0;                        ///< 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a
  std::uint8_t first = 0, last = 0, same = 0;  ///< from first to last, those that have the bits `same` of the first
  std::uint8_t encodings = legacy;
  std::uint8_t prefixes = plain | with_66 | with_f3 | with_f2;
  std::uint8_t groups = 0xff;  ///< bits: what the register field of ModRM may be
  Rm rm = Rm::any;
  bool has_modrm = false;

  Operation operation = Operation::unknown;
  bool is_family = false;  ///< `operation` is the first of eight, of which the opcode or the group selects one
  bool can_lock = false;
  bool has_no_16 = false;  ///< processors differ, or the manual leaves open, what a prefix for 16 bits does
  Form operands[Instruction::most_operands];
  RegisterSet reads = 0, overwrites = 0;  ///< besides the operands
  std::uint8_t flags_read = 0, flags_written = 0;
  bool has_condition = false;  ///< the opcode names the flags that are read

  constexpr Row& to(unsigned last_opcode, unsigned same_bits = 0) {
    last = static_cast<std::uint8_t>(last_opcode);
    same = static_cast<std::uint8_t>(same_bits);
    return *this;
  }
  constexpr Row& with(std::uint8_t some_prefixes) { return prefixes = some_prefixes, *this; }
  constexpr Row& in_encoding(std::uint8_t some_encodings) { return encodings = some_encodings, *this; }
  template <typename... Numbers>
  constexpr Row& in_group(Numbers... numbers) {
    groups = static_cast<std::uint8_t>(((1U << numbers) | ...));
    return has_modrm = true, *this;
  }
  constexpr Row& in_memory() { return rm = Rm::memory, has_modrm = true, *this; }
  constexpr Row& in_register() { return rm = Rm::a_register, has_modrm = true, *this; }
  constexpr Row& family() { return is_family = true, *this; }
  constexpr Row& lockable() { return can_lock = true, *this; }
  constexpr Row& never_16() { return has_no_16 = true, *this; }
  constexpr Row& on_condition() { return has_condition = true, *this; }
  constexpr Row& sets(std::uint8_t flags) { return flags_written = flags, *this; }
  constexpr Row& tests(std::uint8_t flags) { return flags_read = flags, *this; }
  constexpr Row& uses(RegisterSet read, RegisterSet changed) { return reads = read, overwrites = changed, *this; }
  constexpr Row& on_stack() { return uses(bit_of(rsp), bit_of(rsp)); }

  constexpr bool describes(unsigned opcode) const {
    return opcode >= first && opcode <= last && ((opcode ^ first) & same) == 0;
  }
};

/// `code` is the opcode with its leading 0f, 0f38 or 0f3a.
template <typename... Forms>
constexpr Row op(unsigned code, Operation operation, Forms... forms) {
  const unsigned escape = code >> 8;
  Row row;
  row.map = escape == 0 ? 0 : escape == 0x0f ? 1 : escape == 0x0f38 ? 2 : 3;
  row.first = row.last = static_cast<std::uint8_t>(code);
  row.operation = operation;
  std::size_t count = 0;
  ((row.operands[count++] = forms), ...);
  for (const Form& form : row.operands) row.has_modrm = row.has_modrm || form.is_in_modrm();
  return row;
}

}  // namespace heddle::machine
