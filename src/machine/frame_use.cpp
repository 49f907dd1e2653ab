#include "machine/frame_use.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "machine/decoder.hpp"

namespace heddle::machine {

namespace {

constexpr std::size_t longest_function = 4096;

/// Bytes of a frame. What is further down in the frame is not looked at.
class Bytes {
 public:
  static constexpr std::int64_t most = 256;

  Bytes() = default;
  /// The bytes from rbp + displacement on.
  Bytes(std::int64_t displacement, std::int64_t size) {
    for (std::int64_t at = displacement; at < displacement + size; ++at)
      if (at < 0 && at >= -most) words_[word_of(at)] |= bit_of(at);
  }
  static Bytes all() { return {-most, most}; }

  bool has(std::int64_t at) const { return (words_[word_of(at)] & bit_of(at)) != 0; }
  bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  void add(const Bytes& other) {
    for (std::size_t i = 0; i < std::size(words_); ++i) words_[i] |= other.words_[i];
  }
  Bytes and_in(const Bytes& other) const {
    Bytes both;
    for (std::size_t i = 0; i < std::size(words_); ++i) both.words_[i] = words_[i] & other.words_[i];
    return both;
  }
  Bytes without(const Bytes& other) const {
    Bytes left;
    for (std::size_t i = 0; i < std::size(words_); ++i) left.words_[i] = words_[i] & ~other.words_[i];
    return left;
  }

 private:
  static std::size_t word_of(std::int64_t at) { return static_cast<std::size_t>(-at - 1) / 64; }
  static std::uint64_t bit_of(std::int64_t at) { return std::uint64_t{1} << (static_cast<std::size_t>(-at - 1) % 64); }

  std::uint64_t words_[most / 64] = {};
};

/// 0: not known.
unsigned size_of_access(const Instruction& in) {
  for (const Operand& operand : in.operands)
    if (operand.kind == Operand::Kind::memory) return operand.bits / 8;
  return 0;
}

class FrameScan {
 public:
  explicit FrameScan(std::span<const std::uint8_t> code) : code_(code) {}

  /// Whether every instruction of the function is known, and uses rbp as the address of its frame.
  bool is_understood() {
    std::size_t at = 0;
    if (code_.size() > longest_function || !skip_prologue(at)) return false;
    while (at < code_.size()) {
      const auto in = decode(code_.subspan(at));
      if (!in || !may_be_in_frame(*in)) return false;
      at += in->length;
    }
    return true;
  }

  /// Finds what a path from there, on which `mask` is not overwritten yet, reads of it.
  void explore(std::size_t at, Bytes mask, unsigned depth = 0) {
    for (;;) {
      if (at >= code_.size() || budget_ == 0 || depth > most_targets) return give_up();
      --budget_;
      const auto in = decode(code_.subspan(at));
      if (!in) return give_up();
      at += in->length;
      use(*in, mask);
      if (in->operation == Operation::ret || in->operation == Operation::trap || mask.empty()) return;
      if (in->operation != Operation::jump && in->operation != Operation::jump_if) continue;
      const std::size_t target = at + static_cast<std::size_t>(in->immediate);
      if (!in->is_direct() || target >= code_.size()) return give_up();
      const Bytes fresh = mask.without(seen_at(target));
      seen_at(target).add(mask);
      if (in->operation == Operation::jump_if) {
        if (!fresh.empty()) explore(target, fresh, depth + 1);
      } else {
        if (fresh.empty()) return;
        mask = fresh;
        at = target;
      }
    }
  }

  /// Other functions may read the bytes above the lowest address that the function takes.
  Bytes dead() const {
    return Bytes::all().without(live_).without({lowest_taken_, -lowest_taken_}).without({-saved_, saved_});
  }

 private:
  bool skip_prologue(std::size_t& at) {
    static constexpr std::array<std::uint8_t, 4> branch_target = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
    static constexpr std::array<std::uint8_t, 4> set_frame = {0x55, 0x48, 0x89, 0xe5};      // push rbp; mov rbp, rsp
    const auto begins_with = [&](const auto& bytes) {
      return code_.size() >= at + bytes.size() && std::equal(bytes.begin(), bytes.end(), code_.data() + at);
    };
    if (begins_with(branch_target)) at += branch_target.size();
    if (!begins_with(set_frame)) return false;
    at += set_frame.size();
    // The registers that are saved here are restored at the end.
    for (auto in = decode(code_.subspan(at)); in && in->operation == Operation::push; in = decode(code_.subspan(at))) {
      if (in->operands[0].kind != Operand::Kind::general || in->operands[0].bits != 64) return false;
      saved_ += 8;
      at += in->length;
    }
    return true;
  }

  bool may_be_in_frame(const Instruction& in) {
    if (!in.is_known() || in.operation == Operation::string || !is_one_variable(in)) return false;
    switch (in.operation) {
      case Operation::leave:
      case Operation::ret:
      case Operation::call: return true;
      case Operation::push: return false;
      case Operation::pop: return in.operands[0].kind == Operand::Kind::general && !in.operands[0].is_general(rsp);
      case Operation::add:
      case Operation::subtract:
        if (in.operands[0].is_general(rsp)) return in.operands[1].kind == Operand::Kind::immediate;
        break;
      case Operation::load_address:
        if (in.memory.base == rbp) lowest_taken_ = std::min(lowest_taken_, in.memory.displacement);
        break;
      default: break;
    }
    if ((in.writes & (bit_of(rbp) | bit_of(rsp))) != 0 || (in.reads & bit_of(rsp)) != 0) return false;
    for (const Operand& operand : in.operands)
      if (operand.is_general(rbp)) return false;  // a pointer to the frame
    return true;
  }

  /// An operand in memory is not addressed by rsp, and with rbp it is one variable.
  static bool is_one_variable(const Instruction& in) {
    const MemoryOperand& memory = in.memory;
    if (!memory.is_present) return true;
    if (memory.base == rsp || memory.index == rsp || memory.index == rbp) return false;
    if (memory.base != rbp) return true;
    return memory.index == no_register && !memory.has_vector_index && !memory.is_thread_local && !memory.has_32_bits &&
           (!in.accesses_memory() || size_of_access(in) != 0);
  }

  void use(const Instruction& in, Bytes& mask) {
    if (!in.accesses_memory() || in.memory.base != rbp) return;
    const Bytes bytes(in.memory.displacement, size_of_access(in));
    if (reads(in.memory.access)) live_.add(bytes.and_in(mask));
    if (in.memory.access == Access::write) mask = mask.without(bytes);
  }

  Bytes& seen_at(std::size_t target) {
    for (std::size_t i = 0; i < target_count_; ++i)
      if (targets_[i].at == target) return targets_[i].seen;
    if (target_count_ == most_targets) {
      give_up();
      return targets_[0].seen;
    }
    targets_[target_count_] = {target, {}};
    return targets_[target_count_++].seen;
  }

  void give_up() {
    live_ = Bytes::all();
    budget_ = 0;
  }

  static constexpr std::size_t most_targets = 32;
  struct Target {
    std::size_t at = 0;
    Bytes seen;
  };

  std::span<const std::uint8_t> code_;
  Bytes live_;
  std::int64_t lowest_taken_ = 0;
  std::int64_t saved_ = 0;  ///< bytes of saved registers, at the top of the frame
  unsigned budget_ = 1000;  ///< instructions
  Target targets_[most_targets];
  std::size_t target_count_ = 0;
};

}  // namespace

DeadBytes find_dead_bytes(std::span<const std::uint8_t> code, std::size_t at) {
  DeadBytes found;
  FrameScan scan(code);
  if (at >= code.size() || !scan.is_understood()) return found;
  found.has_frame = true;
  scan.explore(at, Bytes::all());
  const Bytes dead = scan.dead();
  for (std::int64_t i = -Bytes::most; i < 0 && found.count < DeadBytes::most; ++i) {
    if (!dead.has(i)) continue;
    const std::int64_t begin = i;
    while (i < 0 && dead.has(i)) ++i;
    found.runs[found.count++] = {static_cast<std::uint16_t>(-begin), static_cast<std::uint16_t>(i - begin)};
  }
  return found;
}

}  // namespace heddle::machine
