#include "stress/assembly.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

namespace heddle::stress {

namespace {

constexpr int unknown = -1;

bool is_register(const std::string& operand) { return !operand.empty() && operand[0] == '%'; }
bool is_memory(const std::string& operand) { return operand.find('(') != std::string::npos; }

/// "rax" for "%al", "%eax" and so on; r8 to r15 lose their suffix.
std::string whole_register(std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  if (name.size() >= 2 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9') {
    while (!name.empty() && (name.back() == 'd' || name.back() == 'w' || name.back() == 'b')) name.remove_suffix(1);
    return std::string(name);
  }
  static constexpr std::array<std::array<std::string_view, 5>, 8> families{{{"rax", "eax", "ax", "al", "ah"},
                                                                            {"rbx", "ebx", "bx", "bl", "bh"},
                                                                            {"rcx", "ecx", "cx", "cl", "ch"},
                                                                            {"rdx", "edx", "dx", "dl", "dh"},
                                                                            {"rsi", "esi", "si", "sil", ""},
                                                                            {"rdi", "edi", "di", "dil", ""},
                                                                            {"rbp", "ebp", "bp", "bpl", ""},
                                                                            {"rsp", "esp", "sp", "spl", ""}}};
  for (const auto& family : families)
    if (std::find(family.begin(), family.end(), name) != family.end()) return std::string(family[0]);
  return std::string(name);
}

struct ParsedInstruction {
  std::string mnemonic;
  std::vector<std::string> operands;
  bool is_locked = false;
};

/// "lock xaddl %eax, (%rdi)"
ParsedInstruction parse(std::string line) {
  if (const auto comment = line.find('#'); comment != std::string::npos) line.erase(comment);
  std::istringstream in(line);
  ParsedInstruction result;
  while (in >> result.mnemonic) {
    if (result.mnemonic == "lock" || result.mnemonic == "lock;") {
      result.is_locked = true;
      continue;
    }
    if (result.mnemonic != "notrack" && result.mnemonic != "bnd" && result.mnemonic != ";") break;
  }
  std::string rest, operand;
  std::getline(in, rest);
  int depth = 0;
  for (const char c : rest) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      result.operands.push_back(operand);
      operand.clear();
    } else if (c != ' ' && c != '\t') {
      operand += c;
    }
  }
  if (!operand.empty()) result.operands.push_back(operand);
  return result;
}

/// The registers in the brackets of a memory operand: base, then index; empty where there is none.
std::array<std::string, 2> registers_in(const std::string& operand) {
  std::array<std::string, 2> result;
  const auto open = operand.find('(');
  std::istringstream in(operand.substr(open + 1, operand.find(')') - open - 1));
  std::string part;
  for (std::string& name : result)
    if (std::getline(in, part, ',') && is_register(part)) name = whole_register(part);
  return result;
}

class ThreadReader {
 public:
  explicit ThreadReader(const std::vector<std::uint32_t>& parameters) {
    static constexpr std::array<const char*, 5> in_registers{"rsi", "rdx", "rcx", "r8", "r9"};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto location = static_cast<int>(parameters[i]);
      if (i < in_registers.size()) {
        registers_[in_registers[i]] = location;
        continue;
      }
      const auto place = 8 * (i - in_registers.size());
      slots_[std::to_string(place + 16) + "(%rbp)"] = location;
      slots_[std::to_string(place + 8) + "(%rsp)"] = location;
    }
  }

  CompiledThread read(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      thread_.listing.push_back(line);
      if (!line.empty() && line.back() != ':') step(line);
    }
    return std::move(thread_);
  }

 private:
  void step(const std::string& line) {
    const ParsedInstruction i = parse(line);
    if (i.mnemonic == "mfence") return add(InstructionKind::fence, 0, line);
    if (i.mnemonic.starts_with("call")) return read_call(i, line);
    if (i.mnemonic.starts_with("j") || i.mnemonic.starts_with("push") || i.mnemonic.starts_with("nop")) return;
    const auto memory = std::find_if(i.operands.begin(), i.operands.end(), is_memory);
    if (memory != i.operands.end() && !i.mnemonic.starts_with("lea"))
      read_memory(i, static_cast<std::size_t>(memory - i.operands.begin()), line);
    else
      read_registers(i);
  }

  void read_call(const ParsedInstruction& i, const std::string& line) {
    if (!i.operands.empty() && i.operands[0].starts_with("__stack_chk_fail")) return;
    thread_.not_understood = "it calls a function:" + line;
    registers_.clear();
  }

  void read_memory(const ParsedInstruction& i, std::size_t at, const std::string& line) {
    const std::string& operand = i.operands[at];
    const auto [base, index] = registers_in(operand);
    const bool is_last = at + 1 == i.operands.size();
    if (base == "rbp" || base == "rsp") return read_stack(i, operand, is_last, line);
    int location = held(base);
    if (location == unknown && !index.empty()) location = held(index);
    if (location != unknown) add(kind_of(i, is_last), static_cast<std::uint32_t>(location), line);
    forget_result(i);
  }

  static InstructionKind kind_of(const ParsedInstruction& i, bool is_last) {
    if (i.mnemonic.starts_with("xchg")) return InstructionKind::exchange;
    if (i.is_locked) return InstructionKind::locked;
    if (i.mnemonic.starts_with("cmpxchg") || i.mnemonic.starts_with("xadd")) return InstructionKind::unlocked;
    if (!is_last || i.mnemonic.starts_with("cmp") || i.mnemonic.starts_with("test") || i.mnemonic.starts_with("bt"))
      return InstructionKind::load;
    // Instructions with one operand and memory as the destination: setcc and pop store, inc and not read as well.
    if (i.mnemonic.starts_with("mov") || i.mnemonic.starts_with("vmov") || i.mnemonic.starts_with("set") ||
        i.mnemonic.starts_with("pop"))
      return InstructionKind::store;
    return InstructionKind::unlocked;
  }

  void read_stack(const ParsedInstruction& i, const std::string& operand, bool is_last, const std::string& line) {
    if (i.is_locked) return add(InstructionKind::fence, 0, line);
    const bool is_move = i.mnemonic == "movq" || i.mnemonic == "mov";
    if (is_last && i.operands.size() == 2) {
      if (i.mnemonic.starts_with("cmp") || i.mnemonic.starts_with("test")) return;
      slots_[operand] = is_move && is_register(i.operands[0]) ? held(whole_register(i.operands[0])) : unknown;
      return;
    }
    if (is_move && i.operands.size() == 2 && is_register(i.operands[1])) {
      const auto slot = slots_.find(operand);
      registers_[whole_register(i.operands[1])] = slot == slots_.end() ? unknown : slot->second;
      return;
    }
    if (i.mnemonic.starts_with("add") && i.operands.size() == 2 && is_register(i.operands[1])) {
      const auto slot = slots_.find(operand);
      int& sum = registers_.try_emplace(whole_register(i.operands[1]), unknown).first->second;
      if (sum == unknown && slot != slots_.end()) sum = slot->second;
      return;
    }
    forget_result(i);
  }

  void read_registers(const ParsedInstruction& i) {
    if (i.mnemonic.starts_with("cmp") || i.mnemonic.starts_with("test") || i.operands.empty()) return;
    const std::string& last = i.operands.back();
    if (!is_register(last)) return;
    const std::string destination = whole_register(last);
    if (i.mnemonic.starts_with("lea")) {
      const auto [base, index] = registers_in(i.operands[0]);
      const int from_base = held(base);
      registers_[destination] = from_base != unknown || index.empty() ? from_base : held(index);
    } else if ((i.mnemonic == "movq" || i.mnemonic == "mov") && is_register(i.operands[0])) {
      registers_[destination] = held(whole_register(i.operands[0]));
    } else if (i.mnemonic.starts_with("add") && i.operands.size() == 2) {
      if (held(destination) == unknown && is_register(i.operands[0]))
        registers_[destination] = held(whole_register(i.operands[0]));
    } else {
      forget_result(i);
    }
  }

  /// The instruction changes its last operand, or is an exchange that changes both.
  void forget_result(const ParsedInstruction& i) {
    if (i.mnemonic.starts_with("cmp") && !i.mnemonic.starts_with("cmpxchg")) return;
    if (i.mnemonic.starts_with("test")) return;
    for (const std::string& operand : i.operands) {
      const bool is_changed = &operand == &i.operands.back() || i.mnemonic.starts_with("x");
      if (is_changed && is_register(operand)) registers_[whole_register(operand)] = unknown;
    }
    if (i.mnemonic.starts_with("cmpxchg")) registers_["rax"] = unknown;
  }

  int held(const std::string& name) const {
    const auto found = registers_.find(name);
    return found == registers_.end() ? unknown : found->second;
  }

  void add(InstructionKind kind, std::uint32_t location, const std::string& line) {
    std::string text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    std::replace(text.begin(), text.end(), '\t', ' ');
    thread_.accesses.push_back({kind, location, std::move(text)});
  }

  CompiledThread thread_;
  std::map<std::string, int> registers_;  ///< the location whose address a register holds, or unknown
  std::map<std::string, int> slots_;      ///< likewise for stack slots, by operand
};

}  // namespace

std::map<std::string, std::vector<std::string>> functions_in(const std::string& assembly) {
  std::map<std::string, std::vector<std::string>> functions;
  std::vector<std::string>* current = nullptr;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const bool is_label = line[0] != '\t' && line[0] != ' ';
    if (is_label && line[0] != '.') {
      // clang writes "name:    # @name".
      current = &functions[line.substr(0, line.find(':'))];
      continue;
    }
    if (current == nullptr) continue;
    const auto start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line[start] == '#') continue;
    if (!is_label && line[start] == '.') {
      if (line.compare(start, 5, ".size") == 0) current = nullptr;
      continue;
    }
    if (is_label) line.erase(line.find(':') + 1);
    if (is_label && (line.starts_with(".Lfunc") || line.starts_with(".LF"))) continue;
    current->push_back(line);
  }
  return functions;
}

CompiledThread read_thread(const std::vector<std::string>& lines, const std::vector<std::uint32_t>& parameters) {
  return ThreadReader(parameters).read(lines);
}

}  // namespace heddle::stress
