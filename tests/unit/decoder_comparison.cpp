// Compares the decoder (src/machine/decoder.hpp) with Capstone, on random bytes and on the code of files:
//
//   heddle_decoder_comparison --random N [FILE or FOLDER]...
//
// Of every instruction that both know, the length and the operand in memory have to be the same. If the table of the
// decoder knows the effects, so have the registers and flags that are read and written. (Whether memory is read or
// written is not compared: Capstone 4.0.2 has stores of vectors and "set" for reads.) Prints which share of the
// instructions of each file the table knows. Exits with 1 if there is a difference.
#include <capstone/capstone.h>
#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "machine/decoder.hpp"

namespace {

using namespace heddle::machine;

enum Aspect : unsigned {
  length = 1,
  address = 2,
  size = 4,
  segment = 8,
  reads = 16,
  writes = 32,
  vector_reads = 64,
  vector_writes = 128,
  flags_read = 256,
  flags_written = 512,
};

/// Where Capstone 4.0.2 contradicts the Intel 64 manual, volume 2, and what the manual says.
struct Mistake {
  x86_insn instruction;
  unsigned aspects;
  const char* manual;
  std::uint8_t prefix = 0;  ///< with which Capstone is wrong; 0: always
};
constexpr Mistake mistakes[] = {
    {X86_INS_ADC, flags_read, "DEST + SRC + CF"},
    {X86_INS_SBB, flags_read, "DEST - (SRC + CF)"},
    {X86_INS_RCL, flags_read, "rotates through CF"},
    {X86_INS_RCR, flags_read, "rotates through CF"},
    {X86_INS_CMC, flags_read, "CF = NOT CF"},
    {X86_INS_PUSHFQ, flags_read, "pushes all flags"},
    {X86_INS_PUSHF, flags_read, "pushes all flags"},
    {X86_INS_CMPSB, flags_read, "DF tells the direction"},
    {X86_INS_CMPSW, flags_read, "DF tells the direction"},
    {X86_INS_CMPSD, flags_read, "DF tells the direction"},
    {X86_INS_CMPSQ, flags_read, "DF tells the direction"},
    {X86_INS_SCASB, flags_read, "DF tells the direction"},
    {X86_INS_SCASW, flags_read, "DF tells the direction"},
    {X86_INS_SCASD, flags_read, "DF tells the direction"},
    {X86_INS_SCASQ, flags_read, "DF tells the direction"},
    {X86_INS_MOVSD, flags_read, "the move of a double reads no flags; Capstone takes it for the string operation"},
    {X86_INS_MOVSS, flags_read, "reads no flags"},
    {X86_INS_PREFETCHW, flags_written, "sets no flags"},
    {X86_INS_LZCNT, flags_written, "CF is 1 if the source is zero"},
    {X86_INS_BSF, reads, "processors leave the destination as it is if the source is zero"},
    {X86_INS_BSR, reads, "processors leave the destination as it is if the source is zero"},
    {X86_INS_LEAVE, reads, "RSP = RBP: the old RSP is not read"},
    {X86_INS_STOSQ, reads | writes, "RCX is used with a rep prefix only"},
    {X86_INS_CDQ, writes, "writes EDX alone"},
    {X86_INS_CQO, writes, "writes RDX alone"},
    {X86_INS_CWD, writes, "writes DX alone"},
    {X86_INS_TEST, writes, "the result is discarded"},
    {X86_INS_CMPXCHG, reads | writes, "compares with the destination, and writes the accumulator if they differ"},
    {X86_INS_COMISS, size, "xmm2/m32"},
    {X86_INS_COMISD, size, "xmm2/m64"},
    {X86_INS_PTEST, flags_written, "OF, AF, PF, SF are cleared, ZF and CF set"},
    {X86_INS_RET, length, "RET imm16, with any operand size", 0x66},
    {X86_INS_PUSH, size, "with REX.W the operand has 64 bits", 0x66},
    {X86_INS_POP, size, "with REX.W the operand has 64 bits", 0x66},
    {X86_INS_MOVD, size | reads | writes | vector_reads | vector_writes, "F3 0F 7E is MOVQ xmm1, xmm2/m64", 0xf3},
    {X86_INS_PCMPESTRI, flags_written, "sets all six flags"},
    {X86_INS_PCMPISTRI, flags_written, "sets all six flags"},
    {X86_INS_VPCMPESTRI, flags_written, "sets all six flags"},
    {X86_INS_VPCMPISTRI, flags_written, "sets all six flags"},
    {X86_INS_BEXTR, flags_written, "DF stays"},
    {X86_INS_VPTEST, flags_written, "OF, AF, PF, SF are cleared, ZF and CF set"},
    {X86_INS_VTESTPS, flags_written, "OF, AF, PF, SF are cleared, ZF and CF set"},
    {X86_INS_VTESTPD, flags_written, "OF, AF, PF, SF are cleared, ZF and CF set"},
    {X86_INS_VCOMISS, flags_written, "sets all six flags"},
    {X86_INS_VCOMISD, flags_written, "sets all six flags"},
    {X86_INS_VUCOMISS, flags_written, "sets all six flags"},
    {X86_INS_VUCOMISD, flags_written, "sets all six flags"},
    {X86_INS_UD0, length, "has a ModRM byte"},
    {X86_INS_UD2B, length, "ud1 has a ModRM byte"},
};

bool selects_instruction(std::uint8_t byte) { return byte == 0x66 || byte == 0xf2 || byte == 0xf3; }
bool is_prefix(std::uint8_t byte) {
  return selects_instruction(byte) || byte == 0x67 || byte == 0xf0 || (byte & 0xe7) == 0x26 || (byte & 0xfe) == 0x64;
}
std::span<const std::uint8_t> prefixes_of(std::span<const std::uint8_t> bytes) {
  std::size_t count = 0;
  while (count < bytes.size() && is_prefix(bytes[count])) ++count;
  return bytes.first(count);
}
bool contains(std::span<const std::uint8_t> bytes, std::uint8_t byte) {
  return std::find(bytes.begin(), bytes.end(), byte) != bytes.end();
}

/// Capstone expects 66, f2 or f3 directly before the opcode or REX, and takes another instruction otherwise. The manual
/// (2.1.1) allows prefixes in any order. Capstone also takes 67 before REX for 66.
bool misleads_capstone(std::span<const std::uint8_t> bytes) {
  const std::span prefixes = prefixes_of(bytes);
  std::uint8_t last = 0;
  for (const std::uint8_t byte : prefixes) {
    if (last != 0 && byte != last) return true;
    if (selects_instruction(byte)) last = byte;
  }
  return contains(prefixes, 0x67) && (bytes[prefixes.size()] & 0xf0) == 0x40;
}

unsigned aspects_to_skip(const cs_insn& theirs, const Instruction& ours) {
  const std::span prefixes = prefixes_of({theirs.bytes, theirs.size});
  unsigned skipped = 0;
  for (const Mistake& mistake : mistakes)
    if (mistake.instruction == theirs.id && (mistake.prefix == 0 || contains(prefixes, mistake.prefix)))
      skipped |= mistake.aspects;
  // CMPPS and its relatives set no flags. Capstone has many names for them.
  const cs_x86& detail = theirs.detail->x86;
  if (detail.opcode[0] == 0x0f && detail.opcode[1] == 0xc2) skipped |= flags_written;
  // An instruction of EVEX with static rounding has no immediate operand.
  if (detail.avx_rm != X86_AVX_RM_INVALID) skipped |= length;
  // A nop or prefetch computes no address that matters. Capstone says that it reads the registers of the address.
  if (ours.operation == Operation::nothing) return skipped | reads | writes;
  return misleads_capstone({theirs.bytes, theirs.size}) ? ~0U : skipped;
}

/// The number of a general register of any size. None: -1.
int general_number(unsigned id) {
  static const std::map<unsigned, int> numbers = [] {
    std::map<unsigned, int> result;
    const unsigned names[8][5] = {{X86_REG_AL, X86_REG_AX, X86_REG_EAX, X86_REG_RAX, X86_REG_AH},
                                  {X86_REG_CL, X86_REG_CX, X86_REG_ECX, X86_REG_RCX, X86_REG_CH},
                                  {X86_REG_DL, X86_REG_DX, X86_REG_EDX, X86_REG_RDX, X86_REG_DH},
                                  {X86_REG_BL, X86_REG_BX, X86_REG_EBX, X86_REG_RBX, X86_REG_BH},
                                  {X86_REG_SPL, X86_REG_SP, X86_REG_ESP, X86_REG_RSP},
                                  {X86_REG_BPL, X86_REG_BP, X86_REG_EBP, X86_REG_RBP},
                                  {X86_REG_SIL, X86_REG_SI, X86_REG_ESI, X86_REG_RSI},
                                  {X86_REG_DIL, X86_REG_DI, X86_REG_EDI, X86_REG_RDI}};
    for (int number = 0; number < 8; ++number) {
      for (const unsigned name : names[number])
        if (name != 0) result[name] = number;
      for (const unsigned first : {X86_REG_R8B, X86_REG_R8W, X86_REG_R8D, X86_REG_R8})
        result[first + static_cast<unsigned>(number)] = 8 + number;
    }
    return result;
  }();
  const auto found = numbers.find(id);
  return found == numbers.end() ? -1 : found->second;
}

struct Sets {
  RegisterSet general = 0, vector = 0;
};
Sets sets_of(std::span<const std::uint16_t> ids) {
  Sets sets;
  for (const unsigned id : ids) {
    if (const int number = general_number(id); number >= 0) sets.general |= bit_of(static_cast<unsigned>(number));
    if (id >= X86_REG_XMM0 && id <= X86_REG_XMM15) sets.vector |= bit_of(id - X86_REG_XMM0);
    if (id >= X86_REG_YMM0 && id <= X86_REG_YMM15) sets.vector |= bit_of(id - X86_REG_YMM0);
  }
  return sets;
}

struct FlagSets {
  unsigned read = 0, written = 0;
};
FlagSets flags_of(std::uint64_t bits) {
  struct Names {
    unsigned flag;
    std::uint64_t tested, written;
  };
#define WRITTEN(X) X86_EFLAGS_MODIFY_##X | X86_EFLAGS_RESET_##X | X86_EFLAGS_PRIOR_##X
  static constexpr Names names[] = {
      {flag::carry, X86_EFLAGS_TEST_CF, WRITTEN(CF) | X86_EFLAGS_SET_CF | X86_EFLAGS_UNDEFINED_CF},
      {flag::parity, X86_EFLAGS_TEST_PF, WRITTEN(PF) | X86_EFLAGS_SET_PF | X86_EFLAGS_UNDEFINED_PF},
      {flag::adjust, X86_EFLAGS_TEST_AF, WRITTEN(AF) | X86_EFLAGS_UNDEFINED_AF},
      {flag::zero, X86_EFLAGS_TEST_ZF, WRITTEN(ZF) | X86_EFLAGS_SET_ZF | X86_EFLAGS_UNDEFINED_ZF},
      {flag::sign, X86_EFLAGS_TEST_SF, WRITTEN(SF) | X86_EFLAGS_SET_SF | X86_EFLAGS_UNDEFINED_SF},
      {flag::overflow, X86_EFLAGS_TEST_OF, WRITTEN(OF) | X86_EFLAGS_SET_OF | X86_EFLAGS_UNDEFINED_OF},
      {flag::direction, X86_EFLAGS_TEST_DF, WRITTEN(DF) | X86_EFLAGS_SET_DF},
  };
#undef WRITTEN
  FlagSets sets;
  for (const Names& each : names) {
    if ((bits & each.tested) != 0) sets.read |= each.flag;
    if ((bits & each.written) != 0) sets.written |= each.flag;
  }
  return sets;
}

class Comparison {
 public:
  Comparison() {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &capstone_) != CS_ERR_OK) std::abort();
    cs_option(capstone_, CS_OPT_DETAIL, CS_OPT_ON);
    theirs_ = cs_malloc(capstone_);
  }
  ~Comparison() {
    cs_free(theirs_, 1);
    cs_close(&capstone_);
  }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  /// Returns the length of the instruction, as Capstone sees it; 0: Capstone knows none.
  std::size_t compare(std::span<const std::uint8_t> code) {
    const std::uint8_t* at = code.data();
    std::size_t left = code.size();
    std::uint64_t where = 0;
    const auto ours = decode(code);
    if (!cs_disasm_iter(capstone_, &at, &left, &where, theirs_)) {
      if (ours && ours->is_known()) expect_unknown_to_capstone(*ours, code);
      return 0;
    }
    ++instructions_;
    if (!ours) return theirs_->size;
    if (ours->is_known()) ++known_;
    skipped_ = aspects_to_skip(*theirs_, *ours);
    expect(length, "length", ours->length, theirs_->size);
    if (ours->length != theirs_->size) return theirs_->size;
    compare_memory(*ours);
    if (ours->is_known()) compare_effects(*ours);
    return theirs_->size;
  }

  void print_share(const std::string& of) {
    if (instructions_ != 0)
      fmt::print("{}: {} instructions, {:.2f} % known\n", of, instructions_,
                 100.0 * static_cast<double>(known_) / static_cast<double>(instructions_));
    instructions_ = known_ = 0;
  }
  bool print_differences() const {
    for (const auto& [what, difference] : differences_)
      fmt::print("{} ({} times): {}\n", what, difference.count, difference.example);
    return differences_.empty();
  }

 private:
  struct Difference {
    std::size_t count = 0;
    std::string example;
  };

  void expect(Aspect aspect, const char* name, std::int64_t ours, std::int64_t theirs) {
    if (ours == theirs || (skipped_ & aspect) != 0) return;
    Difference& difference = differences_[fmt::format("{} of {}", name, theirs_->mnemonic)];
    if (difference.count++ != 0) return;
    for (unsigned i = 0; i < theirs_->size; ++i) difference.example += fmt::format("{:02x} ", theirs_->bytes[i]);
    difference.example += fmt::format("{} {}: heddle {:#x}, Capstone {:#x}", theirs_->mnemonic, theirs_->op_str,
                                      static_cast<std::uint64_t>(ours), static_cast<std::uint64_t>(theirs));
  }

  /// Capstone does not know all nops (0f 0d, 0f 18 to 0f 1f), nor fences whose unused field of ModRM is not 0. The
  /// table describes all operations on vectors alone in a few rows, which contain some encodings that are not used.
  void expect_unknown_to_capstone(const Instruction& ours, std::span<const std::uint8_t> code) {
    const std::span bytes = code.first(ours.length);
    const bool is_fence = bytes.size() >= 3 && bytes[bytes.size() - 3] == 0x0f && bytes[bytes.size() - 2] == 0xae;
    const bool is_on_vectors = ours.operation == Operation::other && ours.writes == 0 && ours.flags_written == 0;
    const bool is_vex = (bytes[prefixes_of(bytes).size()] & 0xfe) == 0xc4;  // with a field that has to be unused
    if (ours.operation == Operation::nothing || is_on_vectors || is_vex || is_fence || misleads_capstone(bytes)) return;
    Difference& difference = differences_["known to heddle alone"];
    if (difference.count++ >= 20) return;
    for (const std::uint8_t byte : bytes) difference.example += fmt::format("{:02x} ", byte);
    difference.example += "| ";
  }

  /// String operations have operands that Capstone lists and that ModRM does not name.
  void compare_memory(const Instruction& ours) {
    const cs_x86& detail = theirs_->detail->x86;
    const cs_x86_op* operand = nullptr;
    for (unsigned i = 0; i < detail.op_count && operand == nullptr; ++i)
      if (detail.operands[i].type == X86_OP_MEM) operand = &detail.operands[i];
    const MemoryOperand& memory = ours.memory;
    const bool is_implicit = ours.operation == Operation::string || (!ours.is_known() && !memory.is_present);
    if (is_implicit) return;
    expect(address, "memory", memory.is_present ? 1 : 0, operand != nullptr ? 1 : 0);
    if (operand == nullptr || !memory.is_present) return;
    const x86_op_mem& mem = operand->mem;
    const bool is_relative = mem.base == X86_REG_RIP || mem.base == X86_REG_EIP;
    expect(address, "base", memory.base == no_register ? -1 : memory.base, general_number(mem.base));
    expect(address, "relative address", memory.is_relative ? 1 : 0, is_relative ? 1 : 0);
    const bool is_evex = theirs_->bytes[prefixes_of({theirs_->bytes, theirs_->size}).size()] == 0x62;
    if (!is_evex) {  // Capstone takes some general index registers for vectors; ours does not scale the displacement
      if (!memory.has_vector_index)
        expect(address, "index", memory.index == no_register ? -1 : memory.index, general_number(mem.index));
      expect(address, "displacement", memory.displacement, mem.disp);
    }
    if (memory.index != no_register) expect(address, "scale", 1 << memory.shift, mem.scale);
    expect(segment, "segment", memory.is_thread_local ? 1 : 0,
           mem.segment == X86_REG_FS || mem.segment == X86_REG_GS ? 1 : 0);
    for (const Operand& each : ours.operands)
      if (ours.is_known() && each.kind == Operand::Kind::memory && each.bits != 0)
        expect(size, "size", each.bits, 8 * operand->size);
  }
  void compare_effects(const Instruction& ours) {
    cs_regs read, written;
    std::uint8_t read_count = 0, written_count = 0;
    cs_regs_access(capstone_, theirs_, read, &read_count, written, &written_count);
    const Sets their_reads = sets_of({read, read_count}), their_writes = sets_of({written, written_count});
    expect(reads, "registers read", ours.reads, their_reads.general);
    expect(writes, "registers written", ours.writes, their_writes.general);
    if (ours.operation >= Operation::vector_move) compare_vectors(ours, their_reads.vector, their_writes.vector);
    const FlagSets flags = flags_of(theirs_->detail->x86.eflags);
    expect(flags_read, "flags read", ours.flags_read, flags.read);
    expect(flags_written, "flags written", ours.flags_written, flags.written);
  }

  /// The decoder names the vector registers of the operations that have a name.
  void compare_vectors(const Instruction& ours, RegisterSet their_reads, RegisterSet their_writes) {
    RegisterSet read = 0, written = 0;
    for (const Operand& operand : ours.operands) {
      if (operand.kind != Operand::Kind::vector) continue;
      if (heddle::machine::reads(operand.access)) read |= bit_of(operand.number);
      if (heddle::machine::writes(operand.access)) written |= bit_of(operand.number);
    }
    expect(vector_reads, "vector registers read", read, their_reads);
    expect(vector_writes, "vector registers written", written, their_writes);
  }

  csh capstone_ = 0;
  cs_insn* theirs_ = nullptr;
  unsigned skipped_ = 0;
  std::size_t instructions_ = 0, known_ = 0;
  std::map<std::string, Difference> differences_;
};

/// Half of the instructions are random bytes. The others get a likely beginning: prefixes, and an opcode of each map.
void compare_random(Comparison& comparison, std::uint64_t count) {
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<std::uint8_t, 32> bytes;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    std::size_t at = 0;
    if (i % 2 == 0) {
      constexpr std::uint8_t prefixes[] = {0x67, 0xf0, 0x64, 0x65, 0x2e, 0x3e}, selecting[] = {0x66, 0xf2, 0xf3};
      while (random() % 4 == 0 && at < 4) bytes[at++] = prefixes[random() % std::size(prefixes)];
      if (random() % 2 == 0) bytes[at++] = selecting[random() % std::size(selecting)];
      if (random() % 2 == 0) bytes[at++] = static_cast<std::uint8_t>(0x40 + random() % 16);
      const std::uint64_t map = random() % 8;
      if (map < 5) bytes[at++] = 0x0f;
      if (map == 5) bytes[at++] = 0xc5;
      if (map == 6) {
        bytes[at++] = 0xc4;
        bytes[at] = static_cast<std::uint8_t>((bytes[at] & 0xe0) + 1 + random() % 3);
      }
      if (map == 3) bytes[at++] = 0x38;
      if (map == 4) bytes[at++] = 0x3a;
    }
    comparison.compare(bytes);
  }
  comparison.print_share("random bytes");
}

/// The section .text of an ELF file for x86-64; empty if the file is none.
std::span<const std::uint8_t> code_of(const std::vector<char>& file) {
  Elf64_Ehdr head;
  if (file.size() < sizeof head) return {};
  std::memcpy(&head, file.data(), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_machine != EM_X86_64 || head.e_shnum == 0) return {};
  if (head.e_shoff + head.e_shnum * sizeof(Elf64_Shdr) > file.size()) return {};
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  std::memcpy(sections.data(), file.data() + head.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const char* names = file.data() + sections[head.e_shstrndx].sh_offset;
  for (const Elf64_Shdr& section : sections)
    if (std::strcmp(names + section.sh_name, ".text") == 0)
      return {reinterpret_cast<const std::uint8_t*>(file.data()) + section.sh_offset, section.sh_size};
  return {};
}

void compare_file(Comparison& comparison, const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> file((std::istreambuf_iterator<char>(stream)), {});
  for (std::span code = code_of(file); !code.empty();) {
    const std::size_t length = comparison.compare(code);
    code = code.subspan(length == 0 ? 1 : length);
  }
  comparison.print_share(path.filename().string());
}

void compare_path(Comparison& comparison, const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return compare_file(comparison, path);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file()) compare_file(comparison, entry.path());
}

/// Libraries of the system, such as libc.so.6, by the path from which this process has loaded them.
std::string loaded_library(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const auto slash = line.find('/'); slash != std::string::npos && line.find("/" + name) != std::string::npos)
      return line.substr(slash);
  return name;
}

}  // namespace

int main(int count, char** arguments) {
  Comparison comparison;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--random" && i + 1 < count)
      compare_random(comparison, std::stoull(arguments[++i]));
    else if (std::filesystem::exists(argument))
      compare_path(comparison, argument);
    else
      compare_path(comparison, loaded_library(argument));
  }
  return comparison.print_differences() ? 0 : 1;
}
