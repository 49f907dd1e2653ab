#include "findings/elf_symbols.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace heddle::findings {

namespace {

/// An ELF file or an archive of them, open while the object lives.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (fd_ >= 0) elf_ = elf_begin(fd_, ELF_C_READ_MMAP, nullptr);
  }
  ~OpenFile() {
    if (elf_ != nullptr) elf_end(elf_);
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  Elf* elf() const { return elf_; }
  int fd() const { return fd_; }
  Elf_Kind kind() const { return elf_ == nullptr ? ELF_K_NONE : elf_kind(elf_); }

 private:
  int fd_;
  Elf* elf_ = nullptr;
};

using VisitSymbol = std::function<void(const GElf_Sym&, std::string_view name)>;

void for_each_symbol(Elf* elf, GElf_Word table, const VisitSymbol& visit) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != table || header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) continue;
    for (std::size_t i = 1; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) continue;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name != nullptr && *name != '\0') visit(symbol, name);
    }
  }
}

/// Calls visit(bytes) for every section with code.
template <typename Visit>
void for_each_code(Elf* elf, Visit visit) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
    if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_size == 0) continue;
    Elf_Data* data = elf_rawdata(section, nullptr);
    if (data != nullptr) visit(std::span(static_cast<const std::uint8_t*>(data->d_buf), data->d_size), header.sh_addr);
  }
}

/// x86-64: lock cmpxchg and lock xadd, of 1 to 8 bytes. Other processors: assumed.
bool has_locked_instruction(std::span<const std::uint8_t> code) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i + 4 < code.size(); ++i) {
    if (code[i] != 0xf0) continue;
    const std::size_t opcode = (code[i + 1] & 0xf0) == 0x40 ? i + 2 : i + 1;
    if (code[opcode] == 0x0f && ((code[opcode + 1] & 0xfe) == 0xb0 || (code[opcode + 1] & 0xfe) == 0xc0)) return true;
  }
  return false;
#else
  return !code.empty();
#endif
}

bool is_uninstrumented_object(Elf* elf) {
  GElf_Ehdr header;
  if (gelf_getehdr(elf, &header) == nullptr || header.e_type != ET_REL) return false;
  bool has_code = false, is_instrumented = false;
  for_each_code(elf, [&](std::span<const std::uint8_t>, std::uint64_t) { has_code = true; });
  for_each_symbol(elf, SHT_SYMTAB, [&](const GElf_Sym& symbol, std::string_view name) {
    // Objects for link-time optimisation have no code yet, and do not tell.
    if (symbol.st_shndx == SHN_UNDEF && name.starts_with("__tsan_")) is_instrumented = true;
    if (name.starts_with("__gnu_lto_")) is_instrumented = true;
  });
  return has_code && !is_instrumented;
}

}  // namespace

std::set<std::string> imported_functions(const std::string& path) {
  std::set<std::string> names;
  const OpenFile file(path);
  if (file.kind() != ELF_K_ELF) return names;
  for_each_symbol(file.elf(), SHT_DYNSYM, [&](const GElf_Sym& symbol, std::string_view name) {
    if (symbol.st_shndx == SHN_UNDEF) names.emplace(name);
  });
  return names;
}

bool exports_any(const std::string& path, const std::set<std::string>& names) {
  bool found = false;
  const OpenFile file(path);
  if (file.kind() != ELF_K_ELF) return false;
  for_each_symbol(file.elf(), SHT_DYNSYM, [&](const GElf_Sym& symbol, std::string_view name) {
    if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && !found)
      found = names.contains(std::string(name));
  });
  return found;
}

bool has_atomic_operations(const std::string& path) {
  bool found = false;
  const OpenFile file(path);
  if (file.kind() != ELF_K_ELF) return false;
  for_each_code(file.elf(), [&](std::span<const std::uint8_t> code, std::uint64_t) {
    found = found || has_locked_instruction(code);
  });
  return found;
}

std::vector<std::uint64_t> call_sites(const std::string& path) {
  std::vector<std::uint64_t> addresses;
  const OpenFile file(path);
  if (file.kind() != ELF_K_ELF) return addresses;
  for_each_code(file.elf(), [&](std::span<const std::uint8_t> code, std::uint64_t begin) {
    // x86-64: a call by a distance of 32 bits, and a call through a pointer at such a distance (-fno-plt).
    for (std::size_t i = 0; i + 6 <= code.size(); ++i) {
      if (code[i] == 0xe8) addresses.push_back(begin + i + 4);
      if (code[i] == 0xff && code[i + 1] == 0x15) addresses.push_back(begin + i + 5);
    }
  });
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return addresses;
}

std::vector<std::string> uninstrumented_objects(const std::string& path) {
  std::vector<std::string> objects;
  const OpenFile file(path);
  if (file.kind() == ELF_K_ELF) {
    if (is_uninstrumented_object(file.elf())) objects.push_back(path);
  } else if (file.kind() == ELF_K_AR) {
    Elf_Cmd command = ELF_C_READ_MMAP;
    while (Elf* member = elf_begin(file.fd(), command, file.elf())) {
      const Elf_Arhdr* header = elf_getarhdr(member);
      if (elf_kind(member) == ELF_K_ELF && header != nullptr && is_uninstrumented_object(member))
        objects.push_back(path + "(" + header->ar_name + ")");
      command = elf_next(member);
      elf_end(member);
    }
  }
  return objects;
}

}  // namespace heddle::findings
