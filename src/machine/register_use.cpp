#include "machine/register_use.hpp"

namespace heddle::machine {

namespace {

/// What the instruction means for the register.
enum class Use : std::uint8_t {
  none,         ///< neither read nor overwritten
  overwritten,  ///< as a whole, or by a function that is called
  read,         ///< or not known
};

class Scan {
 public:
  Scan(std::span<const std::uint8_t> code, Register number) : code_(code), register_(number) {}

  bool is_unused(std::size_t at) {
    for (;;) {
      if (budget_-- == 0) return false;
      at_ = at;
      branch_ = none;
      goes_on_ = true;
      switch (decode()) {
        case Use::overwritten: return true;
        case Use::read: return false;
        case Use::none: break;
      }
      if (has_failed_) return false;
      const std::size_t next = at_;
      const bool goes_on = goes_on_;
      if (branch_ != none && !is_visited(branch_)) {
        if (!goes_on) {
          at = branch_;
          continue;
        }
        if (!is_unused(branch_)) return false;
      }
      if (!goes_on) return true;  // back at a place that was visited
      at = next;
    }
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr unsigned most_targets = 16;

  /// True: the code there was read, or is being read. A path that comes back to it has not read the register.
  bool is_visited(std::size_t target) {
    for (unsigned i = 0; i < target_count_; ++i)
      if (targets_[i] == target) return true;
    if (target_count_ == most_targets) budget_ = 0;
    if (budget_ != 0) targets_[target_count_++] = target;
    return false;
  }

  std::uint8_t byte() {
    if (at_ < code_.size()) return code_[at_++];
    has_failed_ = true;
    return 0;
  }
  std::int32_t signed_number(unsigned size) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint32_t{byte()} << (8 * i);
    return size == 1 ? static_cast<std::int8_t>(value) : static_cast<std::int32_t>(value);
  }
  void skip(unsigned size) {
    for (unsigned i = 0; i < size; ++i) byte();
  }
  void branch(std::int32_t distance) {
    branch_ = at_ + static_cast<std::size_t>(static_cast<std::int64_t>(distance));
    if (branch_ >= code_.size()) has_failed_ = true;
  }

  struct Operands {
    unsigned reg = 0;
    unsigned rm = 0;           ///< if it is a register
    bool is_register = false;  ///< and not memory
    bool is_address = false;   ///< the register is a part of the address
    bool is_rip_relative = false;
  };

  Operands operands() {
    const std::uint8_t modrm = byte();
    Operands result;
    result.reg = ((modrm >> 3) & 7U) | ((rex_ & 4U) << 1);
    const unsigned mod = modrm >> 6, rm = modrm & 7U;
    if (mod == 3) {
      result.is_register = true;
      result.rm = rm | ((rex_ & 1U) << 3);
      return result;
    }
    unsigned base = rm | ((rex_ & 1U) << 3);
    bool has_base = true;
    if (rm == 4) {
      const std::uint8_t sib = byte();
      const unsigned index = ((sib >> 3) & 7U) | ((rex_ & 2U) << 2);
      base = (sib & 7U) | ((rex_ & 1U) << 3);
      has_base = (sib & 7U) != 5 || mod != 0;
      result.is_address = index == register_;
      if (!has_base) skip(4);
    } else if (rm == 5 && mod == 0) {
      has_base = false;
      result.is_rip_relative = true;
      skip(4);
    }
    result.is_address = result.is_address || (has_base && base == register_);
    if (mod == 1) skip(1);
    if (mod == 2) skip(4);
    return result;
  }

  /// An instruction that writes one register as a whole and reads the other operand.
  Use overwrites(unsigned written, const Operands& in, bool other_is_register) const {
    if (in.is_address || other_is_register) return Use::read;
    if (written != register_) return Use::none;
    return is_16_bits_ ? Use::read : Use::overwritten;
  }
  bool is_rm(const Operands& in) const { return in.is_register && in.rm == register_; }
  Use touches(const Operands& in) const {
    return in.is_address || in.reg == register_ || is_rm(in) ? Use::read : Use::none;
  }
  Use touches_rm(const Operands& in) const { return in.is_address || is_rm(in) ? Use::read : Use::none; }
  /// Registers 4 to 7 are ah to bh, the second bytes of registers 0 to 3, where there is no prefix.
  bool is_second_byte(unsigned number) const { return number == register_ + 4U; }
  bool is_byte_of_rm(const Operands& in) const { return is_rm(in) || (in.is_register && is_second_byte(in.rm)); }
  Use touches_bytes(const Operands& in) const {
    return is_second_byte(in.reg) || is_byte_of_rm(in) ? Use::read : touches(in);
  }
  bool is_of_result() const { return register_ == rax; }

  Use decode() {
    rex_ = 0;
    is_16_bits_ = false;
    std::uint8_t opcode = byte();
    bool is_repeated = false;
    while (opcode == 0x66 || opcode == 0xf2 || opcode == 0xf3 || opcode == 0x2e || opcode == 0x3e) {
      is_16_bits_ = is_16_bits_ || opcode == 0x66;
      is_repeated = is_repeated || opcode == 0xf3;
      opcode = byte();
    }
    if ((opcode & 0xf0U) == 0x40) {
      rex_ = opcode & 0xfU;
      opcode = byte();
    }
    return opcode == 0x0f ? decode_two_bytes(is_repeated) : decode_one_byte(opcode);
  }

  Use decode_one_byte(std::uint8_t opcode) {
    const unsigned number = (opcode & 7U) | ((rex_ & 1U) << 3);
    const unsigned immediate = is_16_bits_ ? 2 : 4;
    if (opcode >= 0x50 && opcode <= 0x57) return number == register_ ? Use::read : Use::none;         // push
    if (opcode >= 0x58 && opcode <= 0x5f) return number == register_ ? Use::overwritten : Use::none;  // pop
    if (opcode >= 0x70 && opcode <= 0x7f) return branch(signed_number(1)), Use::none;
    if (opcode >= 0xb8 && opcode <= 0xbf) {  // mov
      if (number == register_) return is_16_bits_ ? Use::read : Use::overwritten;
      skip((rex_ & 8U) != 0 ? 8 : immediate);
      return Use::none;
    }
    // add, or, adc, sbb, and, sub, xor, cmp between two operands
    if (opcode < 0x40 && (opcode & 7U) < 4) {
      const Operands in = operands();
      if ((opcode & 1U) == 0) return touches_bytes(in);
      const bool clears = (opcode == 0x31 || opcode == 0x33) && in.is_register && in.reg == in.rm;
      return clears && in.reg == register_ && !is_16_bits_ ? Use::overwritten : touches(in);
    }
    switch (opcode) {
      case 0x90: return Use::none;  // nop
      case 0xc9:
        return register_ == rbp ? Use::read : Use::none;  // leave
      // A function of another module may change rax. One of this module is read: the compiler knows what it changes.
      case 0xe8:
        if (!is_of_result()) return Use::read;
        goes_on_ = false;
        return branch(signed_number(4)), Use::none;
      case 0xeb: goes_on_ = false; return branch(signed_number(1)), Use::none;
      case 0xe9: goes_on_ = false; return branch(signed_number(4)), Use::none;
      case 0x84:
      case 0x88:
      case 0x8a: return touches_bytes(operands());
      case 0x85: return touches(operands());
      case 0x89: {
        const Operands in = operands();
        return in.is_register ? overwrites(in.rm, in, in.reg == register_) : touches(in);
      }
      case 0x63:
      case 0x8b:
      case 0x8d: {
        const Operands in = operands();
        return overwrites(in.reg, in, is_rm(in));
      }
      case 0x69:
      case 0x6b: {
        const Operands in = operands();
        skip(opcode == 0x6b ? 1 : immediate);
        return overwrites(in.reg, in, is_rm(in));
      }
      case 0x80:
      case 0xc0:
      case 0xc6: {
        const Operands in = operands();
        skip(1);
        return is_byte_of_rm(in) ? Use::read : touches_rm(in);
      }
      case 0x81:
      case 0x83:
      case 0xc1: {
        const Operands in = operands();
        skip(opcode == 0x81 ? immediate : 1);
        return touches_rm(in);
      }
      case 0xc7: {
        const Operands in = operands();
        skip(immediate);
        return in.is_register ? overwrites(in.rm, in, false) : touches_rm(in);
      }
      case 0xd1: return touches_rm(operands());
      case 0xff: return decode_group_5();
      default: return Use::read;
    }
  }

  /// inc, dec, call, jmp, push
  Use decode_group_5() {
    const Operands in = operands();
    if (touches_rm(in) == Use::read) return Use::read;
    switch (in.reg & 7U) {
      case 0:
      case 1:
      case 6: return Use::none;
      case 2: return is_of_result() ? Use::overwritten : Use::read;
      // The last call of a function, which has nothing to return then, goes through a table of addresses.
      case 4: return in.is_rip_relative && is_of_result() ? Use::overwritten : Use::read;
      default: return Use::read;
    }
  }

  Use decode_two_bytes(bool is_repeated) {
    const std::uint8_t opcode = byte();
    if (opcode >= 0x80 && opcode <= 0x8f) return branch(signed_number(4)), Use::none;
    if (opcode >= 0x40 && opcode <= 0x4f) return touches(operands());  // cmov
    switch (opcode) {
      case 0x1e: {  // endbr64
        const bool is_marker = is_repeated && byte() == 0xfa;
        return is_marker ? Use::none : Use::read;
      }
      case 0x1f: operands(); return Use::none;  // nop
      case 0x10:                                // moves between vector registers and memory
      case 0x11:
      case 0x16:
      case 0x28:
      case 0x29:
      case 0x57:
      case 0x6f:
      case 0x7f:
      case 0xef: return operands().is_address ? Use::read : Use::none;
      case 0xb6:
      case 0xbe: {  // movzx, movsx of bytes
        const Operands in = operands();
        return overwrites(in.reg, in, is_byte_of_rm(in));
      }
      case 0xb7:
      case 0xbf: {
        const Operands in = operands();
        return overwrites(in.reg, in, is_rm(in));
      }
      default: return Use::read;
    }
  }

  std::span<const std::uint8_t> code_;
  Register register_;
  std::size_t at_ = 0;
  std::size_t branch_ = none;  ///< where the instruction may jump to
  bool goes_on_ = true;        ///< behind the instruction
  unsigned rex_ = 0;
  bool is_16_bits_ = false;
  bool has_failed_ = false;
  unsigned budget_ = 200;  ///< instructions
  std::size_t targets_[most_targets] = {};
  unsigned target_count_ = 0;
};

}  // namespace

bool is_result_unused(std::span<const std::uint8_t> code, std::size_t at) { return Scan(code, rax).is_unused(at); }

bool is_register_dead(std::span<const std::uint8_t> code, std::size_t at, Register number) {
  return Scan(code, number).is_unused(at);
}

}  // namespace heddle::machine
