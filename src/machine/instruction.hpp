// One x86-64 instruction, as decode() (decoder.hpp) returns it: what it is, its operands, and which registers, memory
// and flags it reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::machine {

/// By the numbers of the instruction set.
enum Register : std::uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };
inline constexpr unsigned registers = 16;
inline constexpr std::uint8_t no_register = 16;
/// What calls do with them.
inline constexpr Register preserved[] = {rbx, rbp, r12, r13, r14, r15};
inline constexpr Register arguments[] = {rdi, rsi, rdx, rcx, r8, r9};

/// A set of registers, one bit each.
using RegisterSet = std::uint32_t;
constexpr RegisterSet bit_of(unsigned number) { return RegisterSet{1} << number; }

/// What the users of the decoder tell apart.
enum class Operation : std::uint8_t {
  unknown,  ///< only the length and the operand in memory are known
  other,    ///< the operands and effects are known; the table has no name for the operation
  // In the order of the opcodes and of the register field of ModRM.
  add,
  bit_or,
  add_with_carry,
  subtract_with_borrow,
  bit_and,
  subtract,
  bit_xor,
  compare,
  test,
  bit_not,
  negate,
  increment,
  decrement,
  multiply,  ///< signed; the result has the size of the operands. With two or three operands
  // In the order of the register field of ModRM.
  rotate_left,
  rotate_right,
  rotate_left_through_carry,
  rotate_right_through_carry,
  shift_left,
  shift_right,
  shift_left_alias,
  shift_arithmetic,
  move,       ///< also the low bytes of a larger operand, extended by zeros
  move_sign,  ///< with the sign extended
  move_if,    ///< on a condition
  set_if,     ///< a byte, on a condition
  load_address,
  exchange,
  push,
  pop,
  leave,
  nothing,  ///< nop, also with operands; prefetch, endbr64, pause
  string,   ///< accesses memory at rsi or rdi
  call,
  jump,
  jump_if,  ///< on a condition, or on rcx
  ret,
  trap,              ///< does not continue: ud2, int3, hlt
  vector_move,       ///< 16 bytes
  vector_xor,        ///< 16 bytes
  vector_move_low,   ///< movd, movq: the destination's other bytes become 0
  vector_move_high,  ///< movhps: the upper 8 bytes
  vector_unpack,     ///< punpcklqdq: the lower 8 bytes become the upper ones of the destination
};

enum class Access : std::uint8_t { none, read, write, read_write };
constexpr bool reads(Access access) { return (static_cast<unsigned>(access) & 1U) != 0; }
constexpr bool writes(Access access) { return (static_cast<unsigned>(access) & 2U) != 0; }

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    general,    ///< the low bits of a register
    high_byte,  ///< ah, ch, dh, bh: the second byte of rax, rcx, rdx, rbx
    vector,
    memory,     ///< Instruction::memory
    immediate,  ///< Instruction::immediate
    relative,   ///< a jump's target: Instruction::immediate bytes after the next instruction
  };
  Kind kind = Kind::none;
  Access access = Access::none;
  std::uint8_t number = no_register;  ///< of a register
  std::uint16_t bits = 0;

  bool is_general(unsigned which) const { return kind == Kind::general && number == which; }
};

/// base + (index << shift) + displacement. The last three flags change that.
struct MemoryOperand {
  std::uint8_t base = no_register, index = no_register, shift = 0;
  bool is_present = false;
  bool is_relative = false;       ///< to the next instruction
  bool is_thread_local = false;   ///< relative to fs or gs
  bool has_32_bits = false;       ///< the sum is cut off
  bool has_vector_index = false;  ///< several addresses; `index` is no_register
  Access access = Access::none;
  std::int64_t displacement = 0;  ///< EVEX, whose operations are unknown, scales one of a byte; this is not scaled
};

/// The flags that instructions compute and test, one bit each.
namespace flag {
inline constexpr std::uint8_t carry = 1, parity = 2, adjust = 4, zero = 8, sign = 16, overflow = 32, direction = 64;
inline constexpr std::uint8_t arithmetic = carry | parity | adjust | zero | sign | overflow;
}  // namespace flag

struct Instruction {
  static constexpr std::size_t longest = 15;  ///< bytes
  static constexpr std::size_t most_operands = 4;

  std::uint8_t length = 0;
  Operation operation = Operation::unknown;
  bool is_locked = false;      ///< has a lock prefix
  bool is_repeated = false;    ///< a string operation with a rep prefix
  std::uint8_t condition = 0;  ///< move_if, set_if, jump_if: the code in the opcode; no_condition: a test of rcx
  static constexpr std::uint8_t no_condition = 16;
  Operand operands[most_operands];  ///< the destination first; implicit registers last
  MemoryOperand memory;             ///< the one that ModRM names. The stack and string operations have others
  std::int64_t immediate = 0;

  // General registers. Of an unknown operation, these sets and the flags are not known. Of vector registers there are
  // no sets: the operands name those of the operations for vectors.
  RegisterSet reads = 0;                           ///< with those of the address
  RegisterSet writes = 0;                          ///< as a whole or in part
  RegisterSet overwrites = 0;                      ///< as a whole: all 64 bits change, whatever was there
  std::uint8_t flags_read = 0, flags_written = 0;  ///< written: also if they are undefined afterwards

  bool is_known() const { return operation != Operation::unknown; }
  bool accesses_memory() const { return memory.is_present && memory.access != Access::none; }
  /// A call or jump whose target is in the instruction.
  bool is_direct() const { return operands[0].kind == Operand::Kind::relative; }
  bool is_jump_or_call() const {
    return operation == Operation::jump || operation == Operation::jump_if || operation == Operation::call;
  }
  /// xor or sub of a register from itself: its value does not matter.
  bool clears(unsigned number) const {
    return (operation == Operation::bit_xor || operation == Operation::subtract) && operands[0].bits >= 32 &&
           operands[0].is_general(number) && operands[1].is_general(number);
  }
};

}  // namespace heddle::machine
