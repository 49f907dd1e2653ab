#include "engine/isolation/modules.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "base/hash.hpp"
#include "engine/isolation/thread_pointer.hpp"

namespace heddle::engine {

namespace {

bool starts_with(const char* text, const char* prefix) { return std::strncmp(text, prefix, std::strlen(prefix)) == 0; }

const char* file_of(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool is_cxx_library(const char* path) {
  return starts_with(file_of(path), "libstdc++.so") || starts_with(file_of(path), "libc++");
}

ModuleRole role_of(const char* path) {
  const char* file = file_of(path);
  if (starts_with(file, "libheddle.so")) return ModuleRole::heddle;
  for (const char* prefix :
       {"libc.so", "ld-linux", "libm.so", "linux-vdso", "libgcc_s.so", "libpthread.so", "libdl.so", "librt.so"})
    if (starts_with(file, prefix)) return ModuleRole::system;
  return ModuleRole::program;
}

bool is_reset(const char* path, ModuleRole role) {
  if (role != ModuleRole::system) return role == ModuleRole::program;
  for (const char* prefix : {"libc.so", "libm.so", "libgcc_s.so"})
    if (starts_with(file_of(path), prefix)) return true;
  return false;
}

void read_build_id(const dl_phdr_info& info, const ElfW(Phdr) & header, Module& module) {
  const auto* at = reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
  const auto* end = at + header.p_memsz;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const char* name = at + sizeof *note;
    const auto* bytes = reinterpret_cast<const unsigned char*>(name + ((note->n_namesz + 3) & ~3U));
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      constexpr char digits[] = "0123456789abcdef";
      std::size_t length = 0;
      for (std::size_t i = 0; i < note->n_descsz && length + 2 < sizeof module.build_id; ++i) {
        module.build_id[length++] = digits[bytes[i] >> 4];
        module.build_id[length++] = digits[bytes[i] & 15];
      }
      return;
    }
    at = reinterpret_cast<const char*>(bytes) + ((note->n_descsz + 3) & ~3U);
  }
}

void add_without(base::Arena& arena, Module& module, Range range, Range hole) {
  if (hole.size() == 0 || hole.begin >= range.end || hole.end <= range.begin) {
    if (range.size() != 0) module.writable.push_back(arena, range);
    return;
  }
  if (range.begin < hole.begin) module.writable.push_back(arena, {range.begin, hole.begin});
  if (hole.end < range.end) module.writable.push_back(arena, {hole.end, range.end});
}

/// Adds the part of a writable segment that stays writable (the loader protects the RELRO part), but for the slots
/// that the loader fills when a function is first called: bringing those back would look every function up again in
/// every execution.
void add_writable(base::Arena& arena, Module& module, Range segment, Range relro, Range lazy_slots) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  if (relro.size() != 0 && relro.begin >= segment.begin && relro.begin < segment.end) {
    const std::uintptr_t protected_end = relro.end & ~(page - 1);
    if (relro.begin > segment.begin) add_without(arena, module, {segment.begin, relro.begin}, lazy_slots);
    if (protected_end < segment.end) add_without(arena, module, {protected_end, segment.end}, lazy_slots);
    return;
  }
  add_without(arena, module, segment, lazy_slots);
}

/// What the loader has to do for a module.
struct Dynamic {
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t size = 0;

    std::size_t count() const { return first == nullptr ? 0 : size / sizeof(ElfW(Rela)); }
  };
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  Relocations lazy, other;
};

Dynamic read_dynamic(const dl_phdr_info& info) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  Dynamic dynamic;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {  // the loader has made these absolute
      case DT_SYMTAB: dynamic.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
      case DT_STRTAB: dynamic.names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
      case DT_JMPREL: dynamic.lazy.first = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
      case DT_PLTRELSZ: dynamic.lazy.size = entry->d_un.d_val; break;
      case DT_RELA: dynamic.other.first = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
      case DT_RELASZ: dynamic.other.size = entry->d_un.d_val; break;
      default: break;
    }
  }
  return dynamic;
}

/// Does the module import a function whose name `fits`? Its relocations name what it imports.
template <typename Predicate>
bool imports(const Dynamic& dynamic, Predicate fits) {
  if (dynamic.symbols == nullptr || dynamic.names == nullptr) return false;
  for (const Dynamic::Relocations& relocations : {dynamic.lazy, dynamic.other})
    for (std::size_t i = 0; i < relocations.count(); ++i) {
      const auto symbol = ELF64_R_SYM(relocations.first[i].r_info);
      if (symbol != 0 && fits(dynamic.names + dynamic.symbols[symbol].st_name)) return true;
    }
  return false;
}

bool imports_instrumentation(const Dynamic& dynamic) {
  return imports(dynamic, [](const char* name) { return starts_with(name, "__tsan_"); });
}

struct Imports {
  std::span<const char* const> names;
  bool found;
};

int find_imports(dl_phdr_info* info, std::size_t, void* data) {
  auto& wanted = *static_cast<Imports*>(data);
  if (role_of(info->dlpi_name) != ModuleRole::program || is_cxx_library(info->dlpi_name)) return 0;
  wanted.found = imports(read_dynamic(*info), [&](const char* name) {
    for (const char* each : wanted.names)
      if (std::strcmp(name, each) == 0) return true;
    return false;
  });
  return wanted.found ? 1 : 0;
}

/// The slots of the functions that are looked up when they are first called; linkers put them side by side.
Range lazy_slots(const dl_phdr_info& info, const Dynamic& dynamic) {
  Range slots;
  for (std::size_t i = 0; i < dynamic.lazy.count(); ++i) {
    const std::uintptr_t slot = info.dlpi_addr + dynamic.lazy.first[i].r_offset;
    if (slots.end == 0 || slot < slots.begin) slots.begin = slot;
    if (slot + sizeof(void*) > slots.end) slots.end = slot + sizeof(void*);
  }
  return slots.size() == dynamic.lazy.count() * sizeof(void*) ? slots : Range{};
}

struct Reading {
  base::Arena* arena;
  base::ArenaVector<Module>* modules;
};

int read_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& [arena, modules] = *static_cast<Reading*>(data);
  Module module;
  module.base = info->dlpi_addr;
  const char* path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  char buffer[4096];
  if (path[0] == '\0' && modules->empty()) {
    const auto length = ::readlink("/proc/self/exe", buffer, sizeof buffer - 1);
    buffer[length < 0 ? 0 : length] = '\0';
    path = buffer;
  }
  auto copy = arena->create_array<char>(std::strlen(path) + 1);
  std::memcpy(copy.data(), path, copy.size());
  module.path = copy.data();
  module.role = role_of(module.path);
  module.is_cxx_library = is_cxx_library(module.path);
  module.is_reset = is_reset(module.path, module.role);
  Dynamic dynamic;
  if (module.is_reset) dynamic = read_dynamic(*info);
  module.instrumented = imports_instrumentation(dynamic);

  Range relro;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const Range range{info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz};
    if (header.p_type == PT_GNU_RELRO) relro = range;
    if (header.p_type == PT_GNU_STACK) module.needs_executable_stack = (header.p_flags & PF_X) != 0;
    if (header.p_type == PT_NOTE) read_build_id(*info, header, module);
    if (header.p_type == PT_LOAD) {
      if (module.all.end == 0 || range.begin < module.all.begin) module.all.begin = range.begin;
      if (range.end > module.all.end) module.all.end = range.end;
    }
    if (header.p_type == PT_TLS && info->dlpi_tls_data != nullptr && header.p_memsz != 0) {
      module.has_tls = true;
      module.tls.offset =
          static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data) - thread_pointer());
      module.tls.initial = reinterpret_cast<const void*>(range.begin);
      module.tls.initial_size = header.p_filesz;
      module.tls.size = header.p_memsz;
    }
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0)
      add_writable(*arena, module,
                   {info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz}, relro,
                   lazy_slots(*info, dynamic));
  }
  modules->push_back(*arena, module);
  return 0;
}

// Every malloc needs this, so the first call caches it.
struct SystemCode {
  bool known = false;
  std::size_t count = 0;
  Range all;  ///< from the first range to the last
  Range ranges[8];
  bool is_reset[8] = {};
};
SystemCode system_code;

int find_system_code(dl_phdr_info* info, std::size_t, void*) {
  if (role_of(info->dlpi_name) != ModuleRole::system) return 0;
  for (int i = 0; i < info->dlpi_phnum && system_code.count < 8; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    system_code.is_reset[system_code.count] = is_reset(info->dlpi_name, ModuleRole::system);
    const Range range{info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz};
    Range& all = system_code.all;
    if (system_code.count == 0 || range.begin < all.begin) all.begin = range.begin;
    if (range.end > all.end) all.end = range.end;
    system_code.ranges[system_code.count++] = range;
  }
  return 0;
}

}  // namespace

void Modules::read(base::Arena& arena) {
  Reading reading{&arena, &modules_};
  ::dl_iterate_phdr(read_module, &reading);
  first_count_ = modules_.size();
  for (std::size_t i = 0; i < first_count_; ++i) {
    Module& module = modules_[i];
    module.number = static_cast<std::uint32_t>(i + 1);
    if (module.instrumented) instrumented_.push_back(arena, module.all);
    if (!module.has_tls) continue;
    const std::ptrdiff_t begin = module.tls.offset, end = begin + static_cast<std::ptrdiff_t>(module.tls.size);
    const bool is_first = static_tls_.size() == 0;
    if (is_first || begin < static_tls_.begin) static_tls_.begin = begin;
    if (is_first || end > static_tls_.end) static_tls_.end = end;
  }
}

/// Thread-local variables of such libraries are the loader's matter: they are at no fixed distance from the thread
/// pointer.
void Modules::refresh(base::Arena& arena) {
  struct Loaded {
    base::Arena& arena;
    Modules& self;
  } loaded{arena, *this};
  std::size_t instrumented = 0;
  for (std::size_t i = 0; i < first_count_; ++i) instrumented += modules_[i].instrumented ? 1 : 0;
  modules_.truncate(first_count_);
  instrumented_.truncate(instrumented);
  const auto visit = [](dl_phdr_info* info, std::size_t size, void* data) {
    auto& [memory, self] = *static_cast<Loaded*>(data);
    const auto is_same = [&](const Module& module) {
      return module.base == info->dlpi_addr && std::strcmp(module.path, info->dlpi_name) == 0;
    };
    if (info->dlpi_name == nullptr || info->dlpi_name[0] == '\0') return 0;  // the program
    for (const Module& module : self.modules_)
      if (is_same(module)) return 0;
    const Module* known = nullptr;
    for (const Module& module : self.seen_later_)
      if (is_same(module)) known = &module;
    if (known == nullptr) {
      Reading reading{&memory, &self.seen_later_};
      read_module(info, size, &reading);
      Module& fresh = self.seen_later_.back();
      // Two threads may load libraries in either order, so the number follows from the file's name.
      fresh.number = 0x8000U | (static_cast<std::uint32_t>(base::hash_text(file_of(fresh.path))) & 0x7fffU);
      known = &fresh;
    }
    self.modules_.push_back(memory, *known);
    if (known->instrumented) self.instrumented_.push_back(memory, known->all);
    return 0;
  };
  ::dl_iterate_phdr(visit, &loaded);
}

bool is_cxx_library_code(std::uint64_t address) {
  struct Question {
    std::uintptr_t address;
    bool answer;
  } question{address, false};
  const auto ask = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& asked = *static_cast<Question*>(data);
    if (!is_cxx_library(info->dlpi_name)) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_LOAD && Range{begin, begin + header.p_memsz}.contains(asked.address)) asked.answer = true;
    }
    return 1;
  };
  ::dl_iterate_phdr(ask, &question);
  return question.answer;
}

void bind_instrumentation() {
  const auto bind = [](dl_phdr_info* info, std::size_t, void*) {
    if (role_of(info->dlpi_name) != ModuleRole::program) return 0;
    const Dynamic dynamic = read_dynamic(*info);
    if (dynamic.symbols == nullptr || dynamic.names == nullptr) return 0;
    for (std::size_t i = 0; i < dynamic.lazy.count(); ++i) {
      const ElfW(Rela)& relocation = dynamic.lazy.first[i];
      const char* name = dynamic.names + dynamic.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
      const bool ends_program = std::strcmp(name, "__assert_fail") == 0 || std::strcmp(name, "abort") == 0;
      if (!starts_with(name, "__tsan_") && !ends_program) continue;
      auto* slot = reinterpret_cast<void**>(info->dlpi_addr + relocation.r_offset);
      void* function = ::dlsym(RTLD_DEFAULT, name);
      // If the loader has bound all functions at once, the slots are read-only.
      if (function != nullptr && *slot != function) *slot = function;
    }
    return 0;
  };
  ::dl_iterate_phdr(bind, nullptr);
}

bool program_imports(std::span<const char* const> names) {
  Imports wanted{names, false};
  ::dl_iterate_phdr(find_imports, &wanted);
  return wanted.found;
}

const Module* Modules::find(std::uintptr_t address) const {
  for (const Module& module : modules_)
    if (module.all.contains(address)) return &module;
  return nullptr;
}

std::uint64_t Modules::canonical(std::uintptr_t address) const {
  const Module* module = find(address);
  return module == nullptr ? address : (std::uint64_t{module->number} << 48) | (address - module->base);
}

std::uintptr_t Modules::address_of(std::uint64_t canonical) const {
  for (const Module& module : modules_)
    if (module.number == canonical >> 48) return module.base + (canonical & 0xffff'ffff'ffffU);
  return canonical >> 48 == 0 ? canonical : 0;
}

namespace {
/// The index of the range of system code that holds the address; system_code.count if none does.
std::size_t find_in_system_code(const void* address) {
  if (!system_code.known) {
    system_code.known = true;
    ::dl_iterate_phdr(find_system_code, nullptr);
  }
  if (!system_code.all.contains(reinterpret_cast<std::uintptr_t>(address))) return system_code.count;
  std::size_t i = 0;
  while (i < system_code.count && !system_code.ranges[i].contains(reinterpret_cast<std::uintptr_t>(address))) ++i;
  return i;
}
}  // namespace

bool is_system_code(const void* address) { return find_in_system_code(address) != system_code.count; }

bool is_loader_code(const void* address) {
  const std::size_t i = find_in_system_code(address);
  return i != system_code.count && !system_code.is_reset[i];
}

}  // namespace heddle::engine
