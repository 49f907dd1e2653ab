#include "engine/modules.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "base/hash.hpp"
#include "engine/thread_pointer.hpp"

namespace heddle::engine {

namespace {

bool starts_with(const char* text, const char* prefix) { return std::strncmp(text, prefix, std::strlen(prefix)) == 0; }

ModuleRole role_of(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* file = slash == nullptr ? path : slash + 1;
  if (starts_with(file, "libheddle.so")) return ModuleRole::heddle;
  for (const char* prefix :
       {"libc.so", "ld-linux", "libm.so", "linux-vdso", "libgcc_s.so", "libpthread.so", "libdl.so", "librt.so"})
    if (starts_with(file, prefix)) return ModuleRole::system;
  return ModuleRole::program;
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

/// Adds the part of a writable segment that stays writable: the loader protects the RELRO part.
void add_writable(base::Arena& arena, Module& module, Range segment, Range relro) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  if (relro.size() != 0 && relro.begin >= segment.begin && relro.begin < segment.end) {
    const std::uintptr_t protected_end = relro.end & ~(page - 1);
    if (relro.begin > segment.begin) module.writable.push_back(arena, {segment.begin, relro.begin});
    if (protected_end < segment.end) module.writable.push_back(arena, {protected_end, segment.end});
    return;
  }
  module.writable.push_back(arena, segment);
}

/// Does the module call the instrumentation's entry points? Its relocations name what it imports.
bool imports_instrumentation(const dl_phdr_info& info) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  if (dynamic == nullptr) return false;
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t size = 0;
  } lazy, other;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {  // the loader has made these absolute
      case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
      case DT_STRTAB: names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
      case DT_JMPREL: lazy.first = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
      case DT_PLTRELSZ: lazy.size = entry->d_un.d_val; break;
      case DT_RELA: other.first = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
      case DT_RELASZ: other.size = entry->d_un.d_val; break;
      default: break;
    }
  }
  if (symbols == nullptr || names == nullptr) return false;
  for (const Relocations& relocations : {lazy, other})
    for (std::size_t i = 0; relocations.first != nullptr && i < relocations.size / sizeof(ElfW(Rela)); ++i) {
      const auto symbol = ELF64_R_SYM(relocations.first[i].r_info);
      if (symbol != 0 && starts_with(names + symbols[symbol].st_name, "__tsan_")) return true;
    }
  return false;
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
  module.instrumented = module.role == ModuleRole::program && imports_instrumentation(*info);

  Range relro;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const Range range{info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz};
    if (header.p_type == PT_GNU_RELRO) relro = range;
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
                   {info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz}, relro);
  }
  modules->push_back(*arena, module);
  return 0;
}

// Asked by every malloc, so kept from the first question on.
struct SystemCode {
  bool known = false;
  std::size_t count = 0;
  Range ranges[8];
};
SystemCode system_code;

int find_system_code(dl_phdr_info* info, std::size_t, void*) {
  if (role_of(info->dlpi_name) != ModuleRole::system) return 0;
  for (int i = 0; i < info->dlpi_phnum && system_code.count < 8; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0)
      system_code.ranges[system_code.count++] = {info->dlpi_addr + header.p_vaddr,
                                                 info->dlpi_addr + header.p_vaddr + header.p_memsz};
  }
  return 0;
}

}  // namespace

void Modules::read(base::Arena& arena) {
  Reading reading{&arena, &modules_};
  ::dl_iterate_phdr(read_module, &reading);
  for (const Module& module : modules_)
    if (module.instrumented) instrumented_.push_back(arena, module.all);
}

const Module* Modules::find(std::uintptr_t address) const {
  for (const Module& module : modules_)
    if (module.all.contains(address)) return &module;
  return nullptr;
}

std::uint64_t Modules::canonical(std::uintptr_t address) const {
  for (std::size_t i = 0; i < modules_.size(); ++i)
    if (modules_[i].all.contains(address)) return ((i + 1) << 48) | (address - modules_[i].base);
  return address;
}

bool is_system_code(const void* address) {
  if (!system_code.known) {
    system_code.known = true;
    ::dl_iterate_phdr(find_system_code, nullptr);
  }
  for (std::size_t i = 0; i < system_code.count; ++i)
    if (system_code.ranges[i].contains(reinterpret_cast<std::uintptr_t>(address))) return true;
  return false;
}

}  // namespace heddle::engine
