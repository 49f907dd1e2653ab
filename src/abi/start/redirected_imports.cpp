#include "abi/start/redirected_imports.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "engine/isolation/modules.hpp"

namespace heddle::abi {

namespace {

/// push $index; jmp *[rip + 0]; address of the entry.
constexpr std::size_t trampoline_size = 24, most_trampolines = 16384;
std::uint8_t* trampolines = nullptr;
std::size_t number_of_trampolines = 0;

void redirect(std::uintptr_t slot, void* to) {
  const auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(slot & ~(page_size - 1));
  // The loader may have made the page read-only. It stays writable, which changes nothing for a correct program.
  ::mprotect(page, page_size, PROT_READ | PROT_WRITE);
  *reinterpret_cast<void**>(slot) = to;
}

struct Relocations {
  const ElfW(Rela) * begin = nullptr;
  std::size_t size = 0;
};

/// What the dynamic section of a module says about its imports.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  Relocations tables[2];
};

Imports imports_of(const dl_phdr_info& info) {
  Imports imports;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB: imports.symbols = reinterpret_cast<const ElfW(Sym)*>(dynamic->d_un.d_ptr); break;
      case DT_STRTAB: imports.strings = reinterpret_cast<const char*>(dynamic->d_un.d_ptr); break;
      case DT_JMPREL: imports.tables[0].begin = reinterpret_cast<const ElfW(Rela)*>(dynamic->d_un.d_ptr); break;
      case DT_PLTRELSZ: imports.tables[0].size = dynamic->d_un.d_val; break;
      case DT_RELA: imports.tables[1].begin = reinterpret_cast<const ElfW(Rela)*>(dynamic->d_un.d_ptr); break;
      case DT_RELASZ: imports.tables[1].size = dynamic->d_un.d_val; break;
      default: break;
    }
  }
  return imports;
}

bool is_slot_of_function(const ElfW(Rela) & entry) {
  const auto type = ELF64_R_TYPE(entry.r_info);
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#else
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#endif
}

void redirect_imports_of(const dl_phdr_info& info, const Redirection& redirection) {
  const Imports imports = imports_of(info);
  if (imports.symbols == nullptr || imports.strings == nullptr) return;
  for (const Relocations& table : imports.tables) {
    for (std::size_t i = 0; i < table.size / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& entry = table.begin[i];
      if (!is_slot_of_function(entry)) continue;
      const ElfW(Sym)& symbol = imports.symbols[ELF64_R_SYM(entry.r_info)];
      if (symbol.st_shndx != SHN_UNDEF) continue;
      const char* name = imports.strings + symbol.st_name;
      void* target = ::dlsym(RTLD_DEFAULT, name);
      if (target == nullptr) continue;
      if (void* to = redirection.destination_of(redirection.context, name, target))
        redirect(info.dlpi_addr + entry.r_offset, to);
    }
  }
}

struct Visit {
  const engine::Modules* modules;
  const Redirection* redirection;
};

int visit_module(dl_phdr_info* info, std::size_t, void* data) {
  const auto& visit = *static_cast<Visit*>(data);
  for (const engine::Module& module : visit.modules->all())
    if (module.base == info->dlpi_addr && module.instrumented) redirect_imports_of(*info, *visit.redirection);
  return 0;
}

}  // namespace

void redirect_imports(const engine::Modules& modules, const Redirection& redirection) {
  Visit visit{&modules, &redirection};
  ::dl_iterate_phdr(visit_module, &visit);
}

void* make_trampoline(std::uint32_t index, void (*entry)()) {
  if (number_of_trampolines == most_trampolines) return nullptr;
  if (trampolines == nullptr) {
    void* memory = ::mmap(nullptr, most_trampolines * trampoline_size, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    trampolines = static_cast<std::uint8_t*>(memory);
  }
  std::uint8_t* at = trampolines + number_of_trampolines++ * trampoline_size;
  const auto destination = reinterpret_cast<std::uint64_t>(entry);
  constexpr std::uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
  at[0] = 0x68;
  std::memcpy(at + 1, &index, sizeof index);
  std::memcpy(at + 5, jump, sizeof jump);
  std::memcpy(at + 11, &destination, sizeof destination);
  return at;
}

}  // namespace heddle::abi
