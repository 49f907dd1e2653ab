#include "machine/register_use.hpp"

#include "machine/decoder.hpp"

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
  Scan(std::span<const std::uint8_t> code, Register number, Calls calls)
      : code_(code), register_(number), calls_(calls) {}

  bool is_unused(std::size_t at) {
    for (;;) {
      if (budget_-- == 0 || at >= code_.size()) return false;
      const auto instruction = decode(code_.subspan(at));
      const Use use = instruction ? use_of(*instruction) : Use::read;
      if (use != Use::none) return use == Use::overwritten;
      at += instruction->length;
      const bool comes_back = instruction->operation == Operation::call && register_ != rax;
      if (!instruction->is_jump_or_call() || comes_back) continue;
      const std::size_t target = at + static_cast<std::size_t>(instruction->immediate);
      if (target >= code_.size()) return false;
      const bool is_new = !is_visited(target);
      if (instruction->operation == Operation::jump_if) {
        if (is_new && !is_unused(target)) return false;
      } else {
        if (!is_new) return true;
        at = target;
      }
    }
  }

 private:
  static constexpr unsigned most_targets = 16;

  /// True: the code there was read, or is being read. A path that comes back to it has not read the register.
  bool is_visited(std::size_t target) {
    for (unsigned i = 0; i < target_count_; ++i)
      if (targets_[i] == target) return true;
    if (target_count_ == most_targets) budget_ = 0;
    if (budget_ != 0) targets_[target_count_++] = target;
    return false;
  }

  /// A function may change rax, and nothing else that is asked for. One of this module is read, as if the call were a
  /// jump: the compiler knows what it changes.
  Use use_of(const Instruction& instruction) const {
    const RegisterSet bit = bit_of(register_);
    const RegisterSet kept_in_part = instruction.writes & ~instruction.overwrites;
    if (!instruction.is_known()) return Use::read;
    if (((instruction.reads | kept_in_part) & bit) != 0 && !instruction.clears(register_)) return Use::read;
    switch (instruction.operation) {
      case Operation::ret:
      case Operation::trap: return Use::read;
      case Operation::call:
        if (register_ != rax) return calls_ == Calls::come_back ? Use::none : Use::read;
        return instruction.is_direct() ? Use::none : Use::overwritten;
      case Operation::jump:
        if (instruction.is_direct()) return Use::none;
        // The last call of a function, which has nothing to return then, goes through a table of addresses.
        return instruction.memory.is_relative && register_ == rax ? Use::overwritten : Use::read;
      default: return (instruction.overwrites & bit) != 0 ? Use::overwritten : Use::none;
    }
  }

  std::span<const std::uint8_t> code_;
  Register register_;
  Calls calls_;
  unsigned budget_ = 200;  ///< instructions
  std::size_t targets_[most_targets] = {};
  unsigned target_count_ = 0;
};

}  // namespace

bool is_result_unused(std::span<const std::uint8_t> code, std::size_t at) {
  return Scan(code, rax, Calls::may_throw).is_unused(at);
}

bool is_register_dead(std::span<const std::uint8_t> code, std::size_t at, Register number, Calls calls) {
  return Scan(code, number, calls).is_unused(at);
}

}  // namespace heddle::machine
