#include "engine/isolation/snapshot.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/fast_paths.hpp"

namespace heddle::engine {

namespace {
// Comparing before copying leaves untouched pages clean in the cache, and most pages are untouched.
constexpr std::size_t step = 4096;

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)); }

bool protect(std::uintptr_t page, int protection) {
  return ::mprotect(reinterpret_cast<void*>(page), page_size(), protection) == 0;
}
}  // namespace

void Snapshot::take(const Modules& modules, std::uintptr_t main_thread_pointer, base::Arena& arena) {
  for (const Module& module : modules.all()) {
    if (!module.is_reset) continue;
    // The streams, locales and other state of the C and C++ libraries: most programs write to little of it.
    const bool is_library = module.is_cxx_library || module.role == ModuleRole::system;
    const Compare compare = is_library ? Compare::once_written : Compare::always;
    for (const Range& range : module.writable) save(range, arena, compare);
    if (!module.has_tls) continue;
    const std::uintptr_t begin = main_thread_pointer + static_cast<std::uintptr_t>(module.tls.offset);
    save({begin, begin + module.tls.size}, arena);
  }
}

void Snapshot::save(Range range, base::Arena& arena, Compare compare) {
  if (range.size() == 0) return;
  auto* copy = static_cast<std::byte*>(arena.allocate(range.size(), 64));
  std::memcpy(copy, reinterpret_cast<void*>(range.begin), range.size());
  size_ += range.size();
  if (compare == Compare::always || !base::fast_paths) {
    saved_.push_back(arena, {range, copy});
    return;
  }
  const std::uintptr_t page = page_size();
  for (std::uintptr_t at = range.begin; at < range.end;) {
    const std::uintptr_t begin = at & ~(page - 1);
    const std::uintptr_t end = begin + page < range.end ? begin + page : range.end;
    Watched& piece = watched_.push_back(arena, {{{at, end}, copy + (at - range.begin)}, {}, begin});
    at = end;
    if (compare == Compare::once_written) continue;
    piece.rest = {{at, range.end}, copy + (at - range.begin)};
    break;
  }
  written_ = watched_.size();
}

void Snapshot::watch(const void* kernel_buffer) {
  const auto exempt = reinterpret_cast<std::uintptr_t>(kernel_buffer) & ~(page_size() - 1);
  written_ = 0;
  for (Watched& piece : watched_) {
    piece.is_protected = piece.page != exempt && protect(piece.page, PROT_READ);
    piece.is_written = !piece.is_protected;
    if (piece.is_written) ++written_;
  }
}

void Snapshot::begin_lasting_writes() {
  for (const Watched& piece : watched_)
    if (piece.is_protected) protect(piece.page, PROT_READ | PROT_WRITE);
}

void Snapshot::end_lasting_writes() {
  for (Watched& piece : watched_) {
    if (!piece.is_protected) continue;
    // The execution has not written to this page, so its contents are those of the snapshot and the lasting writes.
    std::memcpy(piece.saved.copy, reinterpret_cast<const void*>(piece.saved.range.begin), piece.saved.range.size());
    if (protect(piece.page, PROT_READ)) continue;
    piece.is_protected = false;
    piece.is_written = true;
    ++written_;
  }
}

void Snapshot::unwatch() {
  for (Watched& piece : watched_) {
    if (piece.is_protected) protect(piece.page, PROT_READ | PROT_WRITE);
    piece.is_protected = false;
    piece.is_written = true;
  }
  written_ = watched_.size();
}

bool Snapshot::noticed_write(std::uintptr_t address) {
  const std::uintptr_t page = address & ~(page_size() - 1);
  bool is_watched = false;
  for (Watched& piece : watched_) {
    if (piece.page != page || !piece.is_protected) continue;
    if (!is_watched) protect(page, PROT_READ | PROT_WRITE);
    is_watched = true;
    piece.is_protected = false;
    piece.is_written = true;
    ++written_;
  }
  return is_watched;
}

bool Snapshot::bring_back(const Saved& saved) {
  bool changed = false;
  for (std::size_t at = 0; at < saved.range.size(); at += step) {
    const std::size_t size = saved.range.size() - at < step ? saved.range.size() - at : step;
    auto* now = reinterpret_cast<std::byte*>(saved.range.begin + at);
    if (base::fast_paths && std::memcmp(now, saved.copy + at, size) == 0) continue;
    std::memcpy(now, saved.copy + at, size);
    changed = true;
  }
  return changed;
}

/// Copying a few words takes less time than comparing them.
bool Snapshot::bring_back_at_once(const Saved& saved) {
  constexpr std::size_t word = sizeof(std::uint64_t), few = 8 * word;
  const std::size_t size = saved.range.size();
  if (!base::fast_paths || size > few || size % word != 0) return false;
  auto* now = reinterpret_cast<std::byte*>(saved.range.begin);
  for (std::size_t at = 0; at < size; at += word) {
    std::uint64_t value;
    std::memcpy(&value, saved.copy + at, word);
    std::memcpy(now + at, &value, word);
  }
  return true;
}

bool Snapshot::find(std::uintptr_t address, std::uint64_t& value) const {
  const auto read = [&](const Saved& saved) {
    if (!saved.range.contains(address) || !saved.range.contains(address + sizeof value - 1)) return false;
    std::memcpy(&value, saved.copy + (address - saved.range.begin), sizeof value);
    return true;
  };
  for (const Saved& saved : saved_)
    if (read(saved)) return true;
  for (const Watched& piece : watched_)
    if (read(piece.saved) || read(piece.rest)) return true;
  return false;
}

void Snapshot::restore() const {
  for (const Saved& saved : saved_)
    if (!bring_back_at_once(saved)) bring_back(saved);
  if (written_ == 0) return;
  for (const Watched& piece : watched_)
    if (piece.is_written && bring_back(piece.saved)) bring_back(piece.rest);
}

}  // namespace heddle::engine
