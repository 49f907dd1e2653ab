// Looks at the code of a function, without executing it: which memory it accesses, and whom it calls. Lengths and
// operands are those of the Intel 64 manual (volume 2). Nothing else is known of most instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace heddle::machine {

/// One instruction, as far as a scan needs it.
struct ScannedInstruction {
  static constexpr unsigned no_register = 16;
  enum class Kind : std::uint8_t {
    other,
    load_address,    ///< lea
    move,            ///< a register or memory to a register
    add,             ///< a register or memory to a register
    jump_or_call,    ///< direct
    string,          ///< accesses memory at rdi or rsi
    without_access,  ///< the memory operand is a hint or names nothing: nop, prefetch
  };

  unsigned length = 0;
  Kind kind = Kind::other;
  bool has_memory = false;
  bool is_relative = false;       ///< to the next instruction: `displacement` is all of the address
  bool is_thread_local = false;   ///< relative to fs or gs
  unsigned base = no_register;    ///< of the memory operand
  unsigned index = no_register;   ///< of the memory operand
  std::int64_t displacement = 0;  ///< of the memory operand, or of a jump
  unsigned to = no_register;      ///< move, load_address, add: the register that is written
  unsigned from = no_register;    ///< move, add between registers: the other one
};

/// Nothing: the bytes are no instruction that is known.
std::optional<ScannedInstruction> scan_instruction(std::span<const std::uint8_t> code);

}  // namespace heddle::machine
