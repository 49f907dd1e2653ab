#include "engine/processes/file_uses.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>

#include "engine/isolation/real.hpp"
#include "engine/reporting/finding_sink.hpp"

namespace heddle::engine {

namespace {

// Cells of a content. Other subjects have one cell.
constexpr unsigned read_and_written = 0;
constexpr unsigned written = 1;
constexpr unsigned cells = 2;

bool describe(int fd, struct stat& status) { return real().syscall(SYS_fstat, fd, &status) == 0; }
bool describe(const char* path, struct stat& status) { return real().syscall(SYS_stat, path, &status) == 0; }

}  // namespace

bool FileUses::is_regular(const struct stat& status) { return S_ISREG(status.st_mode); }

std::size_t FileUses::find(Kind kind, std::uint64_t first, std::uint64_t second) {
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    if (subjects_[i].kind == kind && subjects_[i].key[0] == first && subjects_[i].key[1] == second) return i;
  Subject subject;
  subject.kind = kind;
  subject.key[0] = first;
  subject.key[1] = second;
  subjects_.push_back(execution_arena_, subject);
  return subjects_.size() - 1;
}

std::size_t FileUses::find_name(const char* path) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (; *path != '\0'; ++path) hash = (hash ^ static_cast<unsigned char>(*path)) * 0x100000001b3;
  return find(Kind::name, hash, 0);
}

bool FileUses::conflicts(std::size_t subject, unsigned cell, races::AccessType type, std::uint64_t site) {
  constexpr std::uintptr_t begin = std::uintptr_t{1} << 62 | std::uintptr_t{1} << 40;
  const graph::Thread& thread = graph_.thread(threads_.current().id);
  races::Access access;
  access.address = begin + (subject * cells + cell) * races::ShadowMemory::cell_bytes;
  access.size = 1;
  access.type = type;
  access.thread = threads_.current().id;
  access.index = thread.plain_index();
  access.clock = thread.clock;
  access.site = site;
  return races_.access(access).has_value();
}

void FileUses::withhold_proof() { findings_.withhold_proof(channel::ProofGap::files); }

void FileUses::use_content(int fd, bool writes, Position position, std::uint64_t site) {
  struct stat status;
  if (!describe(fd, status) || !is_regular(status)) return;
  use_content(status, writes, site);
  if (position == Position::unused) return;
  const auto type = position == Position::read ? races::AccessType::plain_write : races::AccessType::atomic_write;
  if (conflicts(find(Kind::position, static_cast<std::uint64_t>(fd), status.st_ino), 0, type, site)) withhold_proof();
}

void FileUses::use_content(const struct stat& status, bool writes, std::uint64_t site) {
  const std::size_t content = find(Kind::content, status.st_dev, status.st_ino);
  const auto type = writes ? races::AccessType::atomic_write : races::AccessType::plain_read;
  if (conflicts(content, read_and_written, type, site) || subjects_[content].is_mapped) withhold_proof();
  if (writes && conflicts(content, written, races::AccessType::plain_write, site))
    subjects_[content].is_written_in_any_order = true;
  if (!writes && subjects_[content].is_written_in_any_order) withhold_proof();
}

void FileUses::map_content(int fd, std::uint64_t site) {
  struct stat status;
  if (!describe(fd, status) || !is_regular(status)) return;
  use_content(status, true, site);
  subjects_[find(Kind::content, status.st_dev, status.st_ino)].is_mapped = true;
}

void FileUses::use_name(const char* path, bool changes, std::uint64_t site) {
  if (path == nullptr) return;
  const auto type = changes ? races::AccessType::plain_write : races::AccessType::plain_read;
  bool is_unordered = conflicts(find_name(path), 0, type, site);
  if (changes && conflicts(find_list(), 0, races::AccessType::atomic_write, site)) is_unordered = true;
  if (is_unordered) withhold_proof();
}

void FileUses::use_size(const char* path, bool changes, std::uint64_t site) {
  use_name(path, false, site);
  struct stat status;
  if (path != nullptr && describe(path, status) && is_regular(status)) use_content(status, changes, site);
}

void FileUses::list_names(const char* path, std::uint64_t site) {
  use_name(path, false, site);
  if (conflicts(find_list(), 0, races::AccessType::plain_read, site)) withhold_proof();
}

}  // namespace heddle::engine
