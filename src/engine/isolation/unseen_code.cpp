#include "engine/isolation/unseen_code.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <optional>
#include <span>

#include "engine/isolation/harmless_functions.hpp"
#include "engine/isolation/unannounced_access.hpp"
#include "machine/decoder.hpp"

namespace heddle::engine {

namespace {

using machine::Instruction;
using machine::Operation;

bool starts_with(const char* text, const char* prefix) { return std::strncmp(text, prefix, std::strlen(prefix)) == 0; }

/// Libraries of the C library and of compilers, besides those whose role is `system`.
bool is_known(const Module& module) {
  if (module.role != ModuleRole::program || module.is_cxx_library || module.is_trusted) return true;
  const char* slash = std::strrchr(module.path, '/');
  const char* file = slash == nullptr ? module.path : slash + 1;
  for (const char* prefix : {"libatomic.so", "libunwind.so", "libresolv.so", "libutil.so", "libanl.so", "libmvec.so",
                             "libnss_", "libcrypt.so", "libubsan.so"})
    if (starts_with(file, prefix)) return true;
  return false;
}

bool is_c_library(const Module& module) {
  const char* slash = std::strrchr(module.path, '/');
  return module.role == ModuleRole::system && slash != nullptr && starts_with(slash + 1, "libc.so");
}
bool is_function(std::uintptr_t address) {
  Dl_info info{};
  void* entry = nullptr;
  if (::dladdr1(reinterpret_cast<void*>(address), &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) return false;
  const auto type = ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(entry)->st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/// Memory resources, and strings as they were before C++11, are changed by code inside the C++ library.
bool is_unseen_library_class(const char* symbol) {
  return std::strstr(symbol, "25monotonic_buffer_resource") != nullptr ||
         std::strstr(symbol, "28unsynchronized_pool_resource") != nullptr || starts_with(symbol, "_ZNSs") ||
         starts_with(symbol, "_ZNKSs");
}

/// The dynamic section of one module: what it imports.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const ElfW(Rela)> tables[2];

  explicit Imports(const dl_phdr_info& info) {
    const ElfW(Dyn)* entry = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i)
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
        entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    const ElfW(Rela) * first[2] = {};
    std::size_t size[2] = {};
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {  // the loader has made these absolute
        case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
        case DT_STRTAB: names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
        case DT_JMPREL: first[0] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: size[0] = entry->d_un.d_val; break;
        case DT_RELA: first[1] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_RELASZ: size[1] = entry->d_un.d_val; break;
        default: break;
      }
    }
    if (symbols == nullptr || names == nullptr) return;
    for (int i = 0; i < 2; ++i)
      if (first[i] != nullptr) tables[i] = {first[i], size[i] / sizeof(ElfW(Rela))};
  }

  /// Calls visit(name, address of the slot that gets the symbol's address).
  template <typename Visitor>
  void for_each(const dl_phdr_info& info, Visitor visit) const {
    for (const auto& table : tables)
      for (const ElfW(Rela) & entry : table)
        if (const auto symbol = ELF64_R_SYM(entry.r_info); symbol != 0)
          visit(names + symbols[symbol].st_name, static_cast<std::uintptr_t>(info.dlpi_addr + entry.r_offset));
  }
};

/// Where the slots of the instrumentation's functions lie in a module. Calls of these functions read them.
class Slots {
 public:
  void add(std::uintptr_t slot) {
    if (count_ < most) slots_[count_++] = slot;
  }
  bool contain(std::uintptr_t slot) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (slots_[i] == slot) return true;
    return false;
  }
  void clear() { count_ = 0; }

 private:
  // Each function of the instrumentation has up to two: one for calls, one for its address.
  static constexpr std::size_t most = 1024;
  std::uintptr_t slots_[most] = {};
  std::size_t count_ = 0;
};

constinit Slots slots;        // too large for a stack
constinit Slots range_slots;  // of those that announce any number of bytes

/// One function of a module with instrumentation.
class FunctionScan {
 public:
  FunctionScan(const Module& module, Range code) : module_(module), code_(code) {}

  /// Does it access memory without telling the instrumentation? Empty: no.
  std::optional<UnseenReason> find_reason() {
    for (std::uintptr_t at = code_.begin; at < code_.end;) {
      const auto instruction = machine::decode({reinterpret_cast<const std::uint8_t*>(at), code_.end - at});
      if (!instruction) break;
      at += instruction->length;
      find_computed_addresses(*instruction, at);
    }
    for (std::uintptr_t at = code_.begin; at < code_.end;) {
      const auto instruction = machine::decode({reinterpret_cast<const std::uint8_t*>(at), code_.end - at});
      if (!instruction) break;
      at += instruction->length;
      if (adjusts_this(*instruction)) return {};
      if (calls(slots, *instruction, at)) is_instrumented_ = true;
      if (accesses_memory(*instruction, at)) accesses_ = true;
      if (is_atomic(*instruction) && accesses_memory(*instruction, at)) has_assembly_ = true;
      if (stores_result(*instruction, at)) stores_result_ = true;
      if (writes_variable(*instruction, at)) writes_variable_ = true;
      track_results(*instruction);
      track_words(*instruction, at);
      track(*instruction, at);
    }
    if (!is_instrumented_) return accesses_ ? std::optional(UnseenReason::no_instrumentation) : std::nullopt;
    if (has_assembly_) return UnseenReason::assembly;
    if (stores_result_) return UnseenReason::returned_struct;
    if (words_.is_struct()) return UnseenReason::passed_struct;
    if (writes_variable_) return UnseenReason::variable;
    return {};
  }

 private:
  bool is_writable(std::uintptr_t address) const {
    for (const Range& range : module_.writable)
      if (range.contains(address)) return true;
    return false;
  }
  /// The slot that a jump of the procedure linkage table reads; 0: there is no such jump at the address.
  std::uintptr_t slot_of_jump(std::uintptr_t address) const {
    if (!module_.all.contains(address)) return 0;
    const auto slot =
        machine::linkage_slot({reinterpret_cast<const std::uint8_t*>(address), module_.all.end - address});
    return slot ? address + static_cast<std::uintptr_t>(*slot) : 0;
  }
  bool calls(const Slots& of, const Instruction& instruction, std::uintptr_t next) const {
    if (instruction.memory.is_relative) return of.contain(address_of(instruction, next));
    if (!instruction.is_direct()) return false;
    const std::uintptr_t target = next + static_cast<std::uintptr_t>(instruction.immediate);
    if (code_.contains(target)) return false;
    const std::uintptr_t slot = slot_of_jump(target);
    return slot != 0 && of.contain(slot);
  }
  /// A thunk of a virtual function in a virtual base reads the virtual table, which does not change.
  static bool adjusts_this(const Instruction& instruction) {
    return instruction.operation == Operation::add && instruction.operands[0].is_general(machine::rdi) &&
           instruction.memory.is_present && instruction.memory.displacement < 0;
  }

  bool is_own(unsigned reg) const { return reg == machine::rsp || (own_ & machine::bit_of(reg)) != 0; }
  bool is_own(const machine::MemoryOperand& memory) const { return is_own(memory.base) || is_own(memory.index); }
  /// Of an operand in memory without registers.
  static std::uintptr_t address_of(const Instruction& instruction, std::uintptr_t next) {
    return static_cast<std::uintptr_t>(instruction.memory.displacement) + (instruction.memory.is_relative ? next : 0);
  }
  /// Not the thread's own memory, and no constant.
  bool accesses_memory(const Instruction& instruction, std::uintptr_t next) const {
    if (instruction.operation == Operation::string) return !is_own(machine::rdi) && !is_own(machine::rsi);
    if (!instruction.accesses_memory() || instruction.memory.is_thread_local) return false;
    if (is_own(instruction.memory)) return false;
    return instruction.memory.base != machine::no_register || is_writable(address_of(instruction, next));
  }
  /// Which registers point to the thread's own stack or to constants. Jumps are not followed: compilers keep such a
  /// pointer in one register.
  void track(const Instruction& instruction, std::uintptr_t next) {
    const machine::Operand &to = instruction.operands[0], &from = instruction.operands[1];
    if (to.kind != machine::Operand::Kind::general) return;
    const bool is_between_registers = from.kind == machine::Operand::Kind::general;
    bool own = false;
    switch (instruction.operation) {
      case Operation::load_address:
        own = instruction.memory.is_relative ? !is_writable(address_of(instruction, next)) : is_own(instruction.memory);
        break;
      case Operation::move:
      case Operation::move_sign: own = is_between_registers && is_own(from.number); break;
      case Operation::pop: break;
      case Operation::add: own = is_own(to.number) || (is_between_registers && is_own(from.number)); break;
      default: return;
    }
    own_ = own ? own_ | machine::bit_of(to.number) : own_ & ~machine::bit_of(to.number);
  }

  static bool is_atomic(const Instruction& instruction) {
    return instruction.is_locked || instruction.operation == Operation::exchange;
  }
  /// The instrumentation does not keep the registers in which calls return their results.
  void track_results(const Instruction& instruction) {
    if (instruction.is_jump_or_call() || !instruction.is_known())
      results_ = instruction.operation == Operation::call ? result_registers : 0;
    else
      results_ &= ~instruction.writes;
  }
  /// Of a variable: other memory may be that of a struct which this function returns.
  bool stores_result(const Instruction& instruction, std::uintptr_t next) const {
    const machine::MemoryOperand& memory = instruction.memory;
    const bool is_variable = memory.is_present && memory.is_relative && is_writable(address_of(instruction, next));
    const machine::Operand& from = instruction.operands[1];
    return is_variable && instruction.operation == Operation::move &&
           instruction.operands[0].kind == machine::Operand::Kind::memory &&
           from.kind == machine::Operand::Kind::general && (results_ & machine::bit_of(from.number)) != 0;
  }

  void find_computed_addresses(const Instruction& instruction, std::uintptr_t next) {
    const machine::MemoryOperand& memory = instruction.memory;
    if (instruction.operation == Operation::load_address && memory.base == machine::no_register)
      computed_.load(address_of(instruction, next), instruction.writes);
    else if (instruction.operation == Operation::load_address && memory.index == machine::no_register)
      computed_.load_from(memory.base, static_cast<std::uintptr_t>(memory.displacement), instruction.writes);
    else
      computed_.forget(instruction.writes);
    for (const machine::Operand& operand : instruction.operands)
      if (operand.kind == machine::Operand::Kind::immediate)
        computed_.add(static_cast<std::uintptr_t>(instruction.immediate));
  }
  /// Reads do not count: compilers do not announce those of variables that the source declares const.
  bool writes_variable(const Instruction& instruction, std::uintptr_t next) const {
    const machine::MemoryOperand& memory = instruction.memory;
    if (!instruction.is_known() || !machine::writes(memory.access)) return false;
    if (memory.base != machine::no_register || memory.index != machine::no_register || memory.is_thread_local)
      return false;
    const std::uintptr_t address = address_of(instruction, next);
    return is_writable(address) && !computed_.may_announce(address);
  }
  void track_words(const Instruction& instruction, std::uintptr_t next) {
    if (instruction.operation == Operation::call) return words_.call(calls(range_slots, instruction, next));
    if (instruction.is_jump_or_call() || !instruction.is_known()) return words_.jump();
    const bool copies = instruction.operation == Operation::string && instruction.is_repeated &&
                        (instruction.reads & machine::bit_of(machine::rsi)) != 0;
    if (copies && !is_own(machine::rsi)) words_.copy();
    if (instruction.operation != Operation::string && instruction.memory.access == machine::Access::read &&
        accesses_memory(instruction, next))
      for (const machine::Operand& operand : instruction.operands)
        if (operand.kind == machine::Operand::Kind::memory)
          words_.read(
              instruction.memory,
              instruction.memory.displacement + (instruction.memory.is_relative ? static_cast<std::int64_t>(next) : 0),
              operand.bits / 8);
    words_.written(instruction.writes);
  }

  static constexpr machine::RegisterSet result_registers =
      machine::bit_of(machine::rax) | machine::bit_of(machine::rdx);

  const Module& module_;
  Range code_;
  machine::RegisterSet own_ = 0, results_ = 0;
  bool is_instrumented_ = false, accesses_ = false, has_assembly_ = false, stores_result_ = false,
       writes_variable_ = false;
  WordsInARow words_;
  ComputedAddresses computed_;
};

/// Calls visit(code) for every function of the module that has unwind information, until it returns true.
template <typename Visitor>
bool find_function(const dl_phdr_info& info, Visitor visit) {
  const std::uint8_t* header = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      header = reinterpret_cast<const std::uint8_t*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  // Version 1; the pointer relative to itself, the count, and a table relative to the header: as all linkers write it.
  constexpr std::uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};
  if (header == nullptr || std::memcmp(header, usual, sizeof usual) != 0) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, header + 8, sizeof count);
  const auto distance = [](const std::uint8_t* at) {
    std::int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::uintptr_t>(std::intptr_t{value});
  };
  const auto base = reinterpret_cast<std::uintptr_t>(header);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t* entry = header + 12 + std::size_t{8} * i;
    const std::uintptr_t begin = base + distance(entry);
    // A frame description: length, distance of the common information, begin and size of the code.
    const auto* frame = reinterpret_cast<const std::uint8_t*>(base + distance(entry + 4));
    if (reinterpret_cast<std::uintptr_t>(frame + 8) + distance(frame + 8) != begin) continue;
    std::uint32_t size = 0;
    std::memcpy(&size, frame + 12, sizeof size);
    if (visit(Range{begin, begin + size})) return true;
  }
  return false;
}

struct Look {
  const Modules& modules;
  UnseenCode found;

  const Module* module_of(const dl_phdr_info& info) const {
    for (const Module& module : modules.all())
      if (module.base == info.dlpi_addr && (info.dlpi_name[0] == '\0') == (&module == &modules.all().front()))
        return &module;
    return nullptr;
  }
  /// A library without instrumentation from which the module imports something.
  void look_at_imports(const dl_phdr_info& info) {
    Imports(info).for_each(info, [&](const char* name, std::uintptr_t slot) {
      if (starts_with(name, "__tsan_")) slots.add(slot);
      for (const char* range : {"__tsan_read_range", "__tsan_write_range", "__tsan_mem"})
        if (starts_with(name, range)) range_slots.add(slot);
      if (found.path != nullptr) return;
      if (is_unseen_library_class(name)) found = {name, 0, UnseenReason::library_class};
      const auto address = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, name));
      const Module* from = address == 0 ? nullptr : modules.find(address);
      if (from == nullptr) return;
      if (!from->instrumented && !is_known(*from)) found.path = from->path;
      if (is_c_library(*from) && is_function(address) && !is_harmless_function(name))
        found = {name, 0, UnseenReason::library_call};
    });
  }
  void look_at_threads(const dl_phdr_info& info, const Module& module) {
    Imports(info).for_each(info, [&](const char* name, std::uintptr_t) {
      for (const char* creates : {"pthread_create", "thrd_create", "clone", "fork"})
        if (found.path == nullptr && std::strcmp(name, creates) == 0) found.path = module.path;
    });
  }
  void look_at_functions([[maybe_unused]] const dl_phdr_info& info, [[maybe_unused]] const Module& module) {
#if defined(__x86_64__)
    find_function(info, [&](Range code) {
      if (!module.all.contains(code.begin) || !module.all.contains(code.end - 1)) return false;
      const std::optional<UnseenReason> reason = FunctionScan(module, code).find_reason();
      if (reason) found = {module.path, code.begin, *reason};
      return reason.has_value();
    });
#endif
  }
};

int look_at_module(dl_phdr_info* info, std::size_t, void* data) {
  Look& look = *static_cast<Look*>(data);
  const Module* module = look.module_of(*info);
  if (module == nullptr || is_known(*module)) return 0;
  slots.clear();
  range_slots.clear();
  if (module->instrumented) {
    look.look_at_imports(*info);
    if (look.found.path == nullptr) look.look_at_functions(*info, *module);
  } else if (module == &look.modules.all().front()) {
    look.found.path = module->path;
  } else {
    look.look_at_threads(*info, *module);
  }
  return look.found.path != nullptr ? 1 : 0;
}

}  // namespace

UnseenCode find_unseen_code(const Modules& modules) {
  Look look{modules, {}};
  ::dl_iterate_phdr(look_at_module, &look);
  return look.found;
}

}  // namespace heddle::engine
