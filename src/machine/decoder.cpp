#include "machine/decoder.hpp"

#include "machine/opcodes.hpp"

namespace heddle::machine {

namespace {

constexpr std::size_t maps = 4, opcodes_of_map = 256;

constexpr std::size_t count_entries() {
  std::size_t count = 0;
  for (const Row& row : opcodes::rows)
    for (unsigned opcode = row.first; opcode <= row.last; ++opcode) count += row.describes(opcode) ? 1 : 0;
  return count;
}

/// The rows of each opcode, in the order of the table.
struct Index {
  std::uint16_t begin[maps * opcodes_of_map + 1] = {};
  std::uint16_t rows[count_entries()] = {};
};

constexpr Index make_index() {
  Index index;
  for (const Row& row : opcodes::rows)
    for (unsigned opcode = row.first; opcode <= row.last; ++opcode)
      if (row.describes(opcode)) ++index.begin[row.map * opcodes_of_map + opcode + 1];
  for (std::size_t i = 0; i < maps * opcodes_of_map; ++i)
    index.begin[i + 1] = static_cast<std::uint16_t>(index.begin[i + 1] + index.begin[i]);
  std::uint16_t used[maps * opcodes_of_map] = {};
  std::uint16_t number = 0;
  for (const Row& row : opcodes::rows) {
    for (unsigned opcode = row.first; opcode <= row.last; ++opcode) {
      const std::size_t at = row.map * opcodes_of_map + opcode;
      if (row.describes(opcode)) index.rows[index.begin[at] + used[at]++] = number;
    }
    ++number;
  }
  return index;
}
constexpr Index index_of_rows = make_index();

/// Conditions in the order of their codes, which come in pairs: one negates the other.
constexpr std::uint8_t flags_of_condition[] = {flag::overflow,
                                               flag::carry,
                                               flag::zero,
                                               flag::carry | flag::zero,
                                               flag::sign,
                                               flag::parity,
                                               flag::sign | flag::overflow,
                                               flag::zero | flag::sign | flag::overflow};

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> code)
      : code_(code.first(code.size() < Instruction::longest ? code.size() : Instruction::longest)) {}

  bool run() {
    if (!read_prefixes() || !read_opcode()) return false;
    const Row* row = find_row();
    if (row == nullptr || (row->has_no_16 && operand_bits() == 16)) return false;
    if (row->has_modrm && !read_modrm(*row)) return false;
    for (std::size_t i = 0; i < Instruction::most_operands; ++i)
      if (!read_operand(row->operands[i], out_.operands[i])) return false;
    if (!set_operation(*row)) return false;
    add_effects(*row);
    out_.length = static_cast<std::uint8_t>(at_);
    return is_complete_;
  }
  const Instruction& instruction() const { return out_; }

 private:
  // ---- bytes
  std::uint8_t next() {
    if (at_ < code_.size()) return code_[at_++];
    is_complete_ = false;
    return 0;
  }
  std::int64_t next_signed(unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{next()} << (8 * i);
    const unsigned unused_bits = 64 - 8 * size;
    return static_cast<std::int64_t>(value << unused_bits) >> unused_bits;
  }

  // ---- prefixes and opcode
  bool read_prefixes() {
    bool has_null_segment = false;  // two segments: processors differ
    for (;;) {
      const std::uint8_t byte = next();
      switch (byte) {
        case 0x66: has_66_ = true; continue;
        case 0x67: out_.memory.has_32_bits = true; continue;
        case 0xf0: out_.is_locked = true; continue;
        case 0xf2:
        case 0xf3:
          if (repeat_ != 0 && repeat_ != byte) return false;  // their order matters, and differs between processors
          repeat_ = byte;
          continue;
        case 0x64:
        case 0x65: out_.memory.is_thread_local = true; continue;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e: has_null_segment = true; continue;
        default: opcode_ = byte; return is_complete_ && !(has_null_segment && out_.memory.is_thread_local);
      }
    }
  }
  bool read_opcode() {
    if ((opcode_ & 0xf0U) == 0x40) {
      take_rex(opcode_);
      has_rex_ = true;
      opcode_ = next();
    } else if (opcode_ == 0xc4 || opcode_ == 0xc5 || opcode_ == 0x62) {
      return !has_66_ && repeat_ == 0 && !out_.is_locked && read_vector_prefix();
    }
    if (opcode_ != 0x0f) return is_complete_;
    opcode_ = next();
    map_ = opcode_ == 0x38 ? 2 : opcode_ == 0x3a ? 3 : 1;
    if (map_ != 1) opcode_ = next();
    return is_complete_;
  }
  void take_rex(unsigned rex) {
    is_wide_ = (rex & 8U) != 0;
    rex_r_ = (rex & 4U) << 1;
    rex_x_ = (rex & 2U) << 2;
    rex_b_ = (rex & 1U) << 3;
  }
  /// VEX of two bytes (c5), of three (c4), and EVEX (62). They hold the bits of REX inverted, the map and the prefix.
  bool read_vector_prefix() {
    encoding_ = opcode_ == 0x62 ? Row::evex : Row::vex;
    const unsigned first = next();
    unsigned second = first;
    map_ = 1;
    if (opcode_ != 0xc5) {
      map_ = first & (opcode_ == 0x62 ? 7U : 0x1fU);
      second = next();
      if (opcode_ == 0x62) next();
      take_rex((~first >> 5 & 7U) | (second >> 4 & 8U));
    } else {
      take_rex(~first >> 5 & 4U);
    }
    vvvv_ = ~second >> 3 & 15U;
    prefix_ = static_cast<std::uint8_t>(1U << (second & 3U));
    opcode_ = next();
    return is_complete_ && map_ >= 1 && map_ < maps;
  }

  // ---- the row
  const Row* find_row() {
    if (encoding_ == Row::legacy)
      prefix_ = repeat_ == 0xf3 ? Row::with_f3 : repeat_ == 0xf2 ? Row::with_f2 : has_66_ ? Row::with_66 : Row::plain;
    const std::size_t at = map_ * opcodes_of_map + opcode_;
    for (unsigned i = index_of_rows.begin[at]; i < index_of_rows.begin[at + 1]; ++i) {
      const Row& row = opcodes::rows[index_of_rows.rows[i]];
      if ((row.encodings & encoding_) != 0 && (row.prefixes & prefix_) != 0 && fits_modrm(row)) return &row;
    }
    return nullptr;
  }
  bool fits_modrm(const Row& row) const {
    if (!row.has_modrm) return true;
    if (at_ >= code_.size()) return false;
    const unsigned modrm = code_[at_];
    const bool is_register = modrm >= 0xc0;
    return ((row.groups >> (modrm >> 3 & 7U)) & 1U) != 0 &&
           (row.rm == Row::Rm::any || (row.rm == Row::Rm::a_register) == is_register);
  }

  // ---- operands
  bool read_modrm(const Row& row) {
    const unsigned modrm = next(), mode = modrm >> 6, low = modrm & 7U;
    group_ = modrm >> 3 & 7U;
    rm_ = low | rex_b_;
    if (mode == 3) return true;
    MemoryOperand& memory = out_.memory;
    memory.is_present = true;
    if (low == 4) {
      read_sib(mode, row);
    } else if (low == 5 && mode == 0) {
      memory.is_relative = true;
      memory.displacement = next_signed(4);
    } else {
      memory.base = static_cast<std::uint8_t>(rm_);
    }
    if (mode == 1) memory.displacement = next_signed(1);
    if (mode == 2) memory.displacement = next_signed(4);
    return true;
  }
  void read_sib(unsigned mode, const Row& row) {
    MemoryOperand& memory = out_.memory;
    const unsigned sib = next(), index = (sib >> 3 & 7U) | rex_x_;
    memory.shift = static_cast<std::uint8_t>(sib >> 6);
    memory.has_vector_index = encoding_ != Row::legacy && is_gather(row);
    if (index != rsp && !memory.has_vector_index) memory.index = static_cast<std::uint8_t>(index);
    if ((sib & 7U) == 5 && mode == 0)
      memory.displacement = next_signed(4);
    else
      memory.base = static_cast<std::uint8_t>((sib & 7U) | rex_b_);
  }
  bool is_gather(const Row& row) const {
    return row.map == 2 && ((opcode_ & 0xfcU) == 0x90 || (opcode_ & 0xfcU) == 0xa0 || (opcode_ & 0xfeU) == 0xc6);
  }

  unsigned operand_bits() const { return is_wide_ ? 64 : has_66_ ? 16 : 32; }
  unsigned bits_of(Size size) const {
    const bool is_memory = out_.memory.is_present;
    const unsigned y = is_wide_ ? 64 : 32;
    switch (size) {
      case Size::none: return 0;
      case Size::b: return 8;
      case Size::w: return 16;
      case Size::d: return 32;
      case Size::q: return 64;
      case Size::dq: return 128;
      case Size::v: return operand_bits();
      case Size::bv: return (opcode_ & 1U) == 0 ? 8 : operand_bits();
      case Size::half: return operand_bits() / 2;
      case Size::y: return y;
      case Size::yb: return is_memory ? 8 : y;
      case Size::yw: return is_memory ? 16 : y;
      case Size::yy: return 2 * y;
      case Size::s: return operand_bits() == 16 ? 16 : 64;
    }
    return 0;
  }

  bool read_operand(const Form& form, Operand& operand) {
    if (form.place == Place::none) return true;
    operand.access = form.access;
    operand.bits = static_cast<std::uint16_t>(bits_of(form.size));
    switch (form.place) {
      case Place::none: break;
      case Place::rm: set_rm(Operand::Kind::general, operand); break;
      case Place::vector_rm: set_rm(Operand::Kind::vector, operand); break;
      case Place::reg: set_register(Operand::Kind::general, group_ | rex_r_, operand); break;
      case Place::vector_reg: set_register(Operand::Kind::vector, group_ | rex_r_, operand); break;
      case Place::opcode: set_register(Operand::Kind::general, (opcode_ & 7U) | rex_b_, operand); break;
      case Place::vvvv: set_register(Operand::Kind::general, vvvv_, operand); break;
      case Place::fixed:
        operand.kind = Operand::Kind::general;
        operand.number = form.number;
        break;
      case Place::immediate: read_immediate(form.size, operand); break;
      case Place::one:
        operand.kind = Operand::Kind::immediate;
        out_.immediate = 1;
        break;
      case Place::relative:
        operand.kind = Operand::Kind::relative;
        out_.immediate = next_signed(operand.bits / 8U);
        break;
      case Place::absolute: return read_absolute(operand);
    }
    return true;
  }
  void set_rm(Operand::Kind kind, Operand& operand) {
    if (!out_.memory.is_present) return set_register(kind, rm_, operand);
    operand.kind = Operand::Kind::memory;
    out_.memory.access = operand.access;
  }
  void set_register(Operand::Kind kind, unsigned number, Operand& operand) const {
    // Without a REX prefix, bytes 4 to 7 are ah, ch, dh and bh.
    const bool is_high =
        kind == Operand::Kind::general && operand.bits == 8 && !has_rex_ && encoding_ == Row::legacy && number >= 4;
    operand.kind = is_high ? Operand::Kind::high_byte : kind;
    operand.number = static_cast<std::uint8_t>(is_high ? number - 4 : number);
  }
  /// Of 64-bit operations, only one form of mov has an immediate operand of 64 bits.
  void read_immediate(Size size, Operand& operand) {
    operand.kind = Operand::Kind::immediate;
    if (size == Size::q) operand.bits = static_cast<std::uint16_t>(operand_bits());
    const unsigned bytes = operand.bits / 8U;
    out_.immediate = next_signed(bytes == 8 && size != Size::q ? 4 : bytes);
  }
  bool read_absolute(Operand& operand) {
    if (out_.memory.has_32_bits) return false;
    operand.kind = Operand::Kind::memory;
    out_.memory.is_present = true;
    out_.memory.access = operand.access;
    out_.memory.displacement = next_signed(8);
    return true;
  }

  // ---- effects
  bool set_operation(const Row& row) {
    const bool by_group = row.groups != 0xff;
    const unsigned offset = !row.is_family ? 0 : by_group ? group_ : (opcode_ - row.first) >> 3;
    out_.operation = static_cast<Operation>(static_cast<unsigned>(row.operation) + offset);
    if (out_.is_locked && !(row.can_lock && writes(out_.memory.access))) return false;
    if (out_.operation == Operation::exchange && opcode_ == 0x90 && rex_b_ == 0) become_nothing();
    if (out_.operation == Operation::exchange && opcode_ == 0x90 && repeat_ != 0) return false;
    out_.is_repeated = out_.operation == Operation::string && repeat_ != 0;
    out_.condition = row.has_condition ? opcode_ & 15U : Instruction::no_condition;
    return true;
  }
  /// xchg of rax with itself is nop, and the upper half of rax stays. With f3 it is pause.
  void become_nothing() {
    out_.operation = Operation::nothing;
    for (Operand& operand : out_.operands) operand = {};
  }
  void add_effects(const Row& row) {
    if (!out_.is_known()) return;
    for (const Operand& operand : out_.operands) add_operand(operand);
    if (out_.memory.is_present && out_.operation != Operation::nothing && out_.operation != Operation::trap) {
      if (out_.memory.base != no_register) out_.reads |= bit_of(out_.memory.base);
      if (out_.memory.index != no_register) out_.reads |= bit_of(out_.memory.index);
    }
    out_.reads |= row.reads;
    out_.overwrites |= row.overwrites;
    if (out_.is_repeated) {
      out_.reads |= bit_of(rcx);
      out_.overwrites |= bit_of(rcx);
    }
    out_.writes |= out_.overwrites;
    out_.flags_read = row.has_condition ? flags_of_condition[(opcode_ & 15U) >> 1] : row.flags_read;
    out_.flags_written = row.flags_written;
  }
  /// A write of 32 bits clears the other 32. One of 8 or 16 bits leaves the others.
  void add_operand(const Operand& operand) {
    const bool is_general = operand.kind == Operand::Kind::general;
    if (!is_general && operand.kind != Operand::Kind::high_byte) return;
    if (reads(operand.access)) out_.reads |= bit_of(operand.number);
    if (writes(operand.access)) out_.writes |= bit_of(operand.number);
    if (writes(operand.access) && is_general && operand.bits >= 32) out_.overwrites |= bit_of(operand.number);
  }

  std::span<const std::uint8_t> code_;
  std::size_t at_ = 0;
  bool is_complete_ = true;
  bool has_66_ = false, has_rex_ = false, is_wide_ = false;
  std::uint8_t repeat_ = 0;  ///< f2 or f3
  std::uint8_t prefix_ = Row::plain, encoding_ = Row::legacy;
  std::uint8_t opcode_ = 0;
  unsigned map_ = 0;
  unsigned rex_r_ = 0, rex_x_ = 0, rex_b_ = 0, vvvv_ = 0;
  unsigned group_ = 0, rm_ = 0;  ///< the fields of ModRM
  Instruction out_;
};

}  // namespace

std::optional<Instruction> decode(std::span<const std::uint8_t> code) {
  Decoder decoder(code);
  if (!decoder.run()) return std::nullopt;
  return decoder.instruction();
}

std::optional<std::int64_t> linkage_slot(std::span<const std::uint8_t> code) {
  std::size_t next = 0;
  for (;;) {
    const auto instruction = decode(code.subspan(next));
    if (!instruction) return std::nullopt;
    next += instruction->length;
    if (instruction->operation == Operation::nothing) continue;  // endbr64
    if (instruction->operation != Operation::jump || !instruction->memory.is_relative) return std::nullopt;
    return static_cast<std::int64_t>(next) + instruction->memory.displacement;
  }
}

}  // namespace heddle::machine
