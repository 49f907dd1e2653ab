#include "campaign/workers/program_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/hash.hpp"
#include "campaign/workers/path_search.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::campaign {

namespace {

#if defined(__x86_64__)
constexpr GElf_Half own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr GElf_Half own_machine = EM_AARCH64;
#endif

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (fd_ >= 0) elf_ = elf_begin(fd_, ELF_C_READ, nullptr);
  }
  ~ElfFile() {
    if (elf_ != nullptr) elf_end(elf_);
    if (fd_ >= 0) ::close(fd_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  bool readable() const { return fd_ >= 0; }
  bool is_elf() const { return elf_ != nullptr && elf_kind(elf_) == ELF_K_ELF; }
  GElf_Ehdr header() const {
    GElf_Ehdr header{};
    gelf_getehdr(elf_, &header);
    return header;
  }
  bool has_interpreter() const {
    GElf_Phdr segment;
    return find_segment(PT_INTERP, segment);
  }

  /// Calls `visit` with the file name of every library in the DT_NEEDED entries of the program.
  template <typename Visit>
  void needed_libraries(Visit visit) const {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf_, section)) != nullptr) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      if (data == nullptr || header.sh_entsize == 0) continue;
      for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Dyn entry;
        if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
        const char* name = elf_strptr(elf_, header.sh_link, entry.d_un.d_val);
        if (name != nullptr) visit(std::string_view(name));
      }
    }
  }

  std::string build_id() const {
    std::string id;
    std::size_t segments = 0;
    elf_getphdrnum(elf_, &segments);
    for (std::size_t i = 0; i < segments && id.empty(); ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_NOTE) continue;
      const Elf_Type type = segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
      Elf_Data* data = elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, type);
      if (data != nullptr) id = build_id_in(data);
    }
    return id;
  }

 private:
  bool find_segment(GElf_Word type, GElf_Phdr& out) const {
    std::size_t segments = 0;
    elf_getphdrnum(elf_, &segments);
    for (std::size_t i = 0; i < segments; ++i) {
      if (gelf_getphdr(elf_, static_cast<int>(i), &out) != nullptr && out.p_type == type) return true;
    }
    return false;
  }

  static std::string build_id_in(Elf_Data* data) {
    std::size_t offset = 0;
    std::size_t name = 0;
    std::size_t description = 0;
    GElf_Nhdr note;
    while ((offset = gelf_getnote(data, offset, &note, &name, &description)) != 0) {
      const char* bytes = static_cast<const char*>(data->d_buf);
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || std::memcmp(bytes + name, "GNU", 4) != 0) continue;
      std::string id;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        id += fmt::format("{:02x}", static_cast<std::uint8_t>(bytes[description + i]));
      }
      return id;
    }
    return {};
  }

  int fd_ = -1;
  Elf* elf_ = nullptr;
};

bool needs_heddle(const ElfFile& file) {
  bool found = false;
  file.needed_libraries([&](std::string_view name) {
    // The entry of a library without a soname is the path that it was linked by.
    if (const auto slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
    found = found || name.starts_with("libheddle.so");
  });
  return found;
}

Outcome check_file(const std::string& name, const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return test_problem(fmt::format("{} does not exist", name));
    return test_problem(fmt::format("cannot run {}: {}", name, std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) return test_problem(fmt::format("{} is a folder; name a program", name));
  if (!S_ISREG(status.st_mode)) return test_problem(fmt::format("{} is not a regular file; name a program", name));
  if (::access(path.c_str(), X_OK) != 0)
    return test_problem(
        fmt::format("{} is not executable; name the program that heddle c++ or heddle cc linked", name));
  return {};
}

Outcome check_elf(const std::string& name, const ElfFile& file) {
  if (!file.readable()) return test_problem(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  if (!file.is_elf()) {
    return test_problem(
        fmt::format("{} is not an ELF program (a script, perhaps): give the compiled program itself", name));
  }
  const GElf_Ehdr header = file.header();
  if (header.e_machine != own_machine) {
    return test_problem(fmt::format("{} is built for another processor; build it on this machine", name));
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    return test_problem(fmt::format("{} is not a linked program; link it with heddle c++ or heddle cc", name));
  }
  if (!file.has_interpreter()) {
    return test_problem(
        fmt::format("{} is statically linked (or a library): heddle needs a dynamically linked program", name));
  }
  if (!needs_heddle(file)) {
    return test_problem(
        fmt::format("{} was not built with heddle: compile and link it with heddle c++ or heddle cc", name));
  }
  return {};
}

}  // namespace

Result<ProgramFile> inspect_program(const std::string& name) {
  // A file in the current folder has priority over PATH. A name without a file is kept for the message about it.
  const bool is_here = ::access(name.c_str(), F_OK) == 0;
  const std::string path = is_here ? name : find_executable(name).value_or(name);
  if (auto problem = check_file(name, path)) return *problem;
  const ElfFile file(path);
  if (auto problem = check_elf(name, file)) return *problem;

  ProgramFile program;
  char resolved[PATH_MAX];
  program.path = ::realpath(path.c_str(), resolved) != nullptr ? resolved : path;
  program.build_id = file.build_id();
  if (program.build_id.empty()) {
    const auto content = read_whole_file(path);
    if (!content) return content.problem();
    program.build_id = fmt::format("content-{:016x}", base::hash_text(*content));
  }
  return program;
}

}  // namespace heddle::campaign
