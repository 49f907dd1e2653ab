#include "orders/atomic_calls.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include "findings/debug_file.hpp"
#include "findings/edited_place.hpp"

namespace heddle::orders {

namespace {

using channel::SiteOperation;

Operations exchange_operations() {
  Operations both(SiteOperation::compare_exchange);
  both.add(SiteOperation::failed_exchange);
  return both;
}

/// Of a function of the instrumentation or of libatomic; none for all others.
Operations operations_of(std::string_view name) {
  if (name == "__tsan_atomic_thread_fence") return Operations(SiteOperation::fence);
  const bool is_announced = name.starts_with("__tsan_atomic"), is_library = name.starts_with("__atomic_");
  if (!is_announced && !is_library) return {};
  name.remove_prefix(is_announced ? std::string_view("__tsan_atomic").size() : std::string_view("__atomic").size());
  while (!name.empty() && name.front() != '_') name.remove_prefix(1);  // the number of bits
  if (name.starts_with("_load")) return Operations(SiteOperation::load);
  if (name.starts_with("_store")) return Operations(SiteOperation::store);
  if (name.starts_with("_compare_exchange")) return exchange_operations();
  if (name.starts_with("_exchange") || name.starts_with("_fetch") || name.ends_with("_fetch"))
    return Operations(SiteOperation::read_modify_write);
  return {};
}

struct Function {
  std::uint64_t begin;
  std::uint64_t end;
  Operations operations;
};

class Scan {
 public:
  explicit Scan(Elf* elf) : elf_(elf) {
    read_slots();
    if (slots_.empty()) return;
    read_stubs();
    read_wrappers();
    read_calls();
    // A wrapper can call another one that comes later.
    for (bool has_changed = true; has_changed;) has_changed = pass_operations_on();
  }

  std::vector<AtomicCall> calls() const {
    std::vector<AtomicCall> calls;
    for (const Call& call : calls_)
      if (const Operations made = operations_at(call.target); !made.empty())
        calls.push_back({call.return_address, made});
    std::sort(calls.begin(), calls.end(),
              [](const AtomicCall& a, const AtomicCall& b) { return a.return_address < b.return_address; });
    return calls;
  }

 private:
  struct Call {
    std::uint64_t return_address;
    std::uint64_t target;  ///< the address of a function or stub, or of a slot that holds the address of one
  };

  template <typename Visit>
  void for_each_section(Visit visit) const {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf_, section)) != nullptr) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) != nullptr) visit(section, header);
    }
  }

  /// The code as visit(bytes, address of the first one).
  template <typename Visit>
  void for_each_code(Visit visit) const {
    for_each_section([&](Elf_Scn* section, const GElf_Shdr& header) {
      if (header.sh_type != SHT_PROGBITS || (header.sh_flags & SHF_EXECINSTR) == 0) return;
      if (Elf_Data* data = elf_rawdata(section, nullptr); data != nullptr && data->d_buf != nullptr)
        visit(std::span(static_cast<const std::uint8_t*>(data->d_buf), data->d_size), header.sh_addr);
    });
  }

  /// Slots of the global offset table that the loader fills with functions: those of atomic operations, and wrappers
  /// that another library may replace.
  void read_slots() {
    for_each_section([&](Elf_Scn* section, const GElf_Shdr& header) {
      if (header.sh_type != SHT_RELA || header.sh_entsize == 0) return;
      Elf_Data* data = elf_getdata(section, nullptr);
      Elf_Scn* symbols = elf_getscn(elf_, header.sh_link);
      GElf_Shdr symbol_header;
      if (data == nullptr || symbols == nullptr || gelf_getshdr(symbols, &symbol_header) == nullptr) return;
      Elf_Data* symbol_data = elf_getdata(symbols, nullptr);
      for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) continue;
        const auto kind = GELF_R_TYPE(relocation.r_info);
        if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) continue;
        if (gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) == nullptr) continue;
        const char* name = elf_strptr(elf_, symbol_header.sh_link, symbol.st_name);
        if (name == nullptr) continue;
        if (const Operations made = operations_of(name); !made.empty())
          slots_[relocation.r_offset] = made;
        else if (symbol.st_value != 0 && is_wrapper(name))
          forwards_[relocation.r_offset] = symbol.st_value;
      }
    });
  }

  /// jmp *slot(%rip): the entries of the procedure linkage table.
  void read_stubs() {
    for_each_code([&](std::span<const std::uint8_t> code, std::uint64_t begin) {
      for (std::size_t i = 0; i + 6 <= code.size(); ++i) {
        if (code[i] != 0xff || code[i + 1] != 0x25) continue;
        const std::uint64_t slot = begin + i + 6 + distance_at(code, i + 2);
        if (!slots_.contains(slot) && !forwards_.contains(slot)) continue;
        // The jump may follow a prefix (bnd) and a mark for indirect branches (endbr64, 4 bytes).
        for (const std::uint64_t before : {0, 1, 4, 5})
          if (before <= i) stubs_.emplace(begin + i - before, slot);
      }
    });
  }

  static std::uint64_t distance_at(std::span<const std::uint8_t> code, std::size_t at) {
    std::int32_t distance;
    std::memcpy(&distance, code.data() + at, sizeof distance);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
  }

  static bool is_wrapper(const char* name) { return findings::is_atomic_wrapper(findings::demangle(name)); }

  void read_wrappers() {
    for_each_section([&](Elf_Scn* section, const GElf_Shdr& header) {
      if ((header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) || header.sh_entsize == 0) return;
      Elf_Data* data = elf_getdata(section, nullptr);
      for (std::size_t i = 1; data != nullptr && i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
        const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
        if (name != nullptr && is_wrapper(name))
          wrappers_[symbol.st_value] = {symbol.st_value, symbol.st_value + symbol.st_size, {}};
      }
    });
  }

  void read_calls() {
    for_each_code([&](std::span<const std::uint8_t> code, std::uint64_t begin) {
      for (std::size_t i = 0; i + 6 <= code.size(); ++i) {
        if (code[i] == 0xe8) add_call(begin + i + 5, begin + i + 5 + distance_at(code, i + 1));
        if (code[i] == 0xff && code[i + 1] == 0x15) add_call(begin + i + 6, begin + i + 6 + distance_at(code, i + 2));
      }
    });
  }

  void add_call(std::uint64_t return_address, std::uint64_t target) {
    if (slots_.contains(target) || forwards_.contains(target) || stubs_.contains(target) || wrappers_.contains(target))
      calls_.push_back({return_address, target});
  }

  Operations operations_at(std::uint64_t target) const {
    if (const auto stub = stubs_.find(target); stub != stubs_.end()) target = stub->second;
    if (const auto slot = slots_.find(target); slot != slots_.end()) return slot->second;
    if (const auto forward = forwards_.find(target); forward != forwards_.end()) target = forward->second;
    const auto wrapper = wrappers_.find(target);
    return wrapper == wrappers_.end() ? Operations() : wrapper->second.operations;
  }

  bool pass_operations_on() {
    bool has_changed = false;
    for (const Call& call : calls_) {
      auto after = wrappers_.upper_bound(call.return_address - 1);
      if (after == wrappers_.begin()) continue;
      Function& around = std::prev(after)->second;
      if (call.return_address > around.end) continue;
      const Operations before = around.operations;
      around.operations.add(operations_at(call.target));
      has_changed |= around.operations != before;
    }
    return has_changed;
  }

  Elf* elf_;
  std::unordered_map<std::uint64_t, Operations> slots_;
  std::unordered_map<std::uint64_t, std::uint64_t> forwards_;  ///< slots of wrappers, to the wrappers
  std::unordered_map<std::uint64_t, std::uint64_t> stubs_;     ///< to their slots
  std::map<std::uint64_t, Function> wrappers_;                 ///< by where they begin
  std::vector<Call> calls_;
};

}  // namespace

std::vector<AtomicCall> atomic_calls(const std::string& path) {
  std::vector<AtomicCall> calls;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return calls;
  elf_version(EV_CURRENT);
  if (Elf* elf = elf_begin(file, ELF_C_READ_MMAP, nullptr); elf != nullptr) {
    if (elf_kind(elf) == ELF_K_ELF) calls = Scan(elf).calls();
    elf_end(elf);
  }
  ::close(file);
  return calls;
}

}  // namespace heddle::orders
