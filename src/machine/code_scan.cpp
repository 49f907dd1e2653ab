#include "machine/code_scan.hpp"

#include <cstring>

namespace heddle::machine {

namespace {

using Kind = ScannedInstruction::Kind;

constexpr unsigned rsp = 4, rbp = 5;

class Scan {
 public:
  explicit Scan(std::span<const std::uint8_t> code) : code_(code) {}

  std::optional<ScannedInstruction> run() {
    read_prefixes();
    read_opcode();
    if (is_valid_) read_operands();
    if (!is_valid_ || at_ > code_.size()) return std::nullopt;
    out_.length = static_cast<unsigned>(at_);
    return out_;
  }

 private:
  enum class Map : std::uint8_t { one_byte, of_0f, of_0f38, of_0f3a };

  std::uint8_t next() {
    if (at_ < code_.size()) return code_[at_++];
    is_valid_ = false;
    return 0;
  }
  std::uint8_t peek() const { return at_ < code_.size() ? code_[at_] : 0; }
  std::int64_t next_signed(std::size_t size) {
    if (code_.size() - at_ < size) {
      is_valid_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, code_.data() + at_, size);
    at_ += size;
    const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
    return static_cast<std::int64_t>(value << unused) >> unused;
  }

  void read_prefixes() {
    for (;;) {
      switch (peek()) {
        case 0x66: operand_16_ = true; break;
        case 0x64:
        case 0x65: out_.is_thread_local = true; break;
        case 0x67:
        case 0xf0:
        case 0xf2:
        case 0xf3:
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e: break;
        default: return;
      }
      ++at_;
      if (at_ >= code_.size()) return;
    }
  }

  void read_opcode() {
    opcode_ = next();
    if ((opcode_ & 0xf0U) == 0x40) {
      read_rex(opcode_);
      opcode_ = next();
    }
    if (opcode_ == 0xc5) return read_vex2();
    if (opcode_ == 0xc4) return read_vex3();
    if (opcode_ == 0x62) return read_evex();
    if (opcode_ != 0x0f) return;
    opcode_ = next();
    map_ = Map::of_0f;
    if (opcode_ == 0x38) map_ = Map::of_0f38;
    if (opcode_ == 0x3a) map_ = Map::of_0f3a;
    if (map_ != Map::of_0f) opcode_ = next();
  }
  void read_rex(unsigned rex) {
    wide_ = (rex & 8U) != 0;
    rex_r_ = (rex & 4U) != 0 ? 8 : 0;
    rex_x_ = (rex & 2U) != 0 ? 8 : 0;
    rex_b_ = (rex & 1U) != 0 ? 8 : 0;
  }
  void read_vex2() {
    next();
    is_vector_ = true;
    map_ = Map::of_0f;
    opcode_ = next();
  }
  void read_vex3() {
    const unsigned first = next();
    next();
    take_vector_map(first & 0x1fU, first);
    opcode_ = next();
  }
  void read_evex() {
    const unsigned first = next();
    next();
    next();
    take_vector_map(first & 7U, first);
    opcode_ = next();
  }
  void take_vector_map(unsigned map, unsigned first) {
    is_vector_ = true;
    is_valid_ = is_valid_ && map >= 1 && map <= 3;
    map_ = static_cast<Map>(map & 3U);
    rex_x_ = (first & 0x40U) == 0 ? 8 : 0;
    rex_b_ = (first & 0x20U) == 0 ? 8 : 0;
  }

  void read_operands() {
    if (has_modrm()) read_modrm();
    const std::size_t immediate = immediate_size();
    classify();
    if (out_.kind == Kind::jump_or_call)
      out_.displacement = next_signed(immediate);
    else
      at_ += immediate;
  }

  bool has_modrm() const {
    const unsigned low = opcode_ & 7U;
    switch (map_) {
      case Map::of_0f38:
      case Map::of_0f3a: return true;
      case Map::of_0f:
        if (opcode_ == 0x77) return false;
        if (is_vector_) return true;
        return !((opcode_ >= 0x05 && opcode_ <= 0x09) || opcode_ == 0x0b || opcode_ == 0x0e ||
                 (opcode_ >= 0x30 && opcode_ <= 0x37) || (opcode_ >= 0x80 && opcode_ <= 0x8f) ||
                 (opcode_ >= 0xa0 && opcode_ <= 0xa2) || (opcode_ >= 0xa8 && opcode_ <= 0xaa) || opcode_ >= 0xc8) ||
               opcode_ >= 0xd0;
      case Map::one_byte: break;
    }
    if (opcode_ < 0x40) return low < 4;
    return opcode_ == 0x63 || opcode_ == 0x69 || opcode_ == 0x6b || (opcode_ >= 0x80 && opcode_ <= 0x8f) ||
           opcode_ == 0xc0 || opcode_ == 0xc1 || opcode_ == 0xc6 || opcode_ == 0xc7 ||
           (opcode_ >= 0xd0 && opcode_ <= 0xd3) || (opcode_ >= 0xd8 && opcode_ <= 0xdf) || opcode_ == 0xf6 ||
           opcode_ == 0xf7 || opcode_ >= 0xfe;
  }

  void read_modrm() {
    const unsigned modrm = next(), mode = modrm >> 6, rm = modrm & 7U;
    reg_ = ((modrm >> 3) & 7U);
    if (mode == 3) {
      rm_ = rm + rex_b_;
      return;
    }
    out_.has_memory = true;
    if (rm == rsp) {
      const unsigned sib = next(), base = sib & 7U, index = ((sib >> 3) & 7U) + rex_x_;
      if (index != rsp) out_.index = index;
      if (base == rbp && mode == 0)
        out_.displacement = next_signed(4);
      else
        out_.base = base + rex_b_;
    } else if (rm == rbp && mode == 0) {
      out_.is_relative = true;
      out_.displacement = next_signed(4);
    } else {
      out_.base = rm + rex_b_;
    }
    if (mode == 1) out_.displacement = next_signed(1);
    if (mode == 2) out_.displacement = next_signed(4);
  }

  std::size_t immediate_size() {
    const std::size_t word = operand_16_ ? 2 : 4;
    switch (map_) {
      case Map::of_0f38: return 0;
      case Map::of_0f3a: return 1;
      case Map::of_0f:
        if (!is_vector_ && opcode_ >= 0x80 && opcode_ <= 0x8f) return 4;
        return (opcode_ >= 0x70 && opcode_ <= 0x73) || opcode_ == 0xa4 || opcode_ == 0xac || opcode_ == 0xba ||
                       opcode_ == 0xc2 || (opcode_ >= 0xc4 && opcode_ <= 0xc6) || opcode_ == 0x0f
                   ? 1
                   : 0;
      case Map::one_byte: break;
    }
    const unsigned low = opcode_ & 7U;
    if (opcode_ < 0x40) {
      if (low == 4) return 1;
      if (low == 5) return word;
      is_valid_ = is_valid_ && low < 4;  // the others are no instructions in 64-bit mode
      return 0;
    }
    if (opcode_ >= 0x70 && opcode_ <= 0x7f) return 1;
    if (opcode_ >= 0xb0 && opcode_ <= 0xb7) return 1;
    if (opcode_ >= 0xb8 && opcode_ <= 0xbf) return wide_ ? 8 : word;
    if (opcode_ >= 0xa0 && opcode_ <= 0xa3) return 8;
    if (opcode_ >= 0xe0 && opcode_ <= 0xe7) return 1;
    switch (opcode_) {
      case 0x60:
      case 0x61:
      case 0x82:
      case 0x9a:
      case 0xce:
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xea: is_valid_ = false; return 0;
      case 0x68:
      case 0x69:
      case 0x81:
      case 0xa9:
      case 0xc7: return word;
      case 0xe8:
      case 0xe9: return 4;
      case 0x6a:
      case 0x6b:
      case 0x80:
      case 0x83:
      case 0xa8:
      case 0xc0:
      case 0xc1:
      case 0xc6:
      case 0xcd:
      case 0xeb: return 1;
      case 0xc2: return 2;
      case 0xc8: return 3;
      case 0xf6: return reg_ < 2 ? 1 : 0;
      case 0xf7: return reg_ < 2 ? word : 0;
      default: return 0;
    }
  }

  void classify() {
    if (map_ == Map::of_0f && !is_vector_) {
      if (opcode_ >= 0x80 && opcode_ <= 0x8f) out_.kind = Kind::jump_or_call;
      if (opcode_ == 0x0d || (opcode_ >= 0x18 && opcode_ <= 0x1f)) out_.kind = Kind::without_access;
      if (opcode_ == 0xb6 || opcode_ == 0xb7 || opcode_ == 0xbe || opcode_ == 0xbf) set_move(reg_ + rex_r_, rm_);
    }
    if (map_ != Map::one_byte || is_vector_) return;
    if ((opcode_ >= 0x70 && opcode_ <= 0x7f) || (opcode_ >= 0xe0 && opcode_ <= 0xe3) || opcode_ == 0xe8 ||
        opcode_ == 0xe9 || opcode_ == 0xeb)
      out_.kind = Kind::jump_or_call;
    if ((opcode_ >= 0xa4 && opcode_ <= 0xa7) || (opcode_ >= 0xaa && opcode_ <= 0xaf)) out_.kind = Kind::string;
    if (opcode_ == 0x8d) {
      out_.kind = Kind::load_address;
      out_.to = reg_ + rex_r_;
    }
    if (opcode_ == 0x8b || opcode_ == 0x63) set_move(reg_ + rex_r_, rm_);
    if (opcode_ == 0x89 && !out_.has_memory) set_move(rm_, reg_ + rex_r_);
    if ((opcode_ & 0xf8U) == 0xb8) set_move((opcode_ & 7U) + rex_b_, ScannedInstruction::no_register);
    if ((opcode_ & 0xf8U) == 0x58) set_move((opcode_ & 7U) + rex_b_, ScannedInstruction::no_register);
    if (opcode_ == 0x03 || (opcode_ == 0x01 && !out_.has_memory)) {
      out_.kind = Kind::add;
      out_.to = opcode_ == 0x03 ? reg_ + rex_r_ : rm_;
      out_.from = opcode_ == 0x03 ? rm_ : reg_ + rex_r_;
    }
  }
  void set_move(unsigned to, unsigned from) {
    out_.kind = Kind::move;
    out_.to = to;
    out_.from = out_.has_memory ? ScannedInstruction::no_register : from;
  }

  std::span<const std::uint8_t> code_;
  std::size_t at_ = 0;
  bool is_valid_ = true;
  bool operand_16_ = false, wide_ = false, is_vector_ = false;
  unsigned rex_r_ = 0, rex_x_ = 0, rex_b_ = 0;
  unsigned opcode_ = 0, reg_ = 0, rm_ = ScannedInstruction::no_register;
  Map map_ = Map::one_byte;
  ScannedInstruction out_;
};

}  // namespace

std::optional<ScannedInstruction> scan_instruction(std::span<const std::uint8_t> code) { return Scan(code).run(); }

}  // namespace heddle::machine
