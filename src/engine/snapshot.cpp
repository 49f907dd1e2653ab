#include "engine/snapshot.hpp"

#include <cstring>

#include "base/fast_paths.hpp"

namespace heddle::engine {

void Snapshot::take(const Modules& modules, std::uintptr_t main_thread_pointer, base::Arena& arena) {
  for (const Module& module : modules.all()) {
    if (module.role != ModuleRole::program) continue;
    for (const Range& range : module.writable) save(range, arena);
    if (!module.has_tls) continue;
    const std::uintptr_t begin = main_thread_pointer + static_cast<std::uintptr_t>(module.tls.offset);
    save({begin, begin + module.tls.size}, arena);
  }
}

void Snapshot::save(Range range, base::Arena& arena, Compare compare) {
  if (range.size() == 0) return;
  auto* copy = static_cast<std::byte*>(arena.allocate(range.size(), 64));
  std::memcpy(copy, reinterpret_cast<void*>(range.begin), range.size());
  saved_.push_back(arena, {range, copy, compare});
  size_ += range.size();
}

namespace {
// Comparing before copying leaves untouched pages clean in the cache, and most pages are untouched.
constexpr std::size_t step = 4096;

/// True: it was something else.
bool bring_back(std::uintptr_t begin, const std::byte* saved, std::size_t size) {
  auto* now = reinterpret_cast<std::byte*>(begin);
  if (std::memcmp(now, saved, size) == 0) return false;
  std::memcpy(now, saved, size);
  return true;
}
}  // namespace

void Snapshot::restore() const {
  for (const Saved& saved : saved_) {
    for (std::size_t at = 0; at < saved.range.size(); at += step) {
      const std::size_t size = saved.range.size() - at < step ? saved.range.size() - at : step;
      const bool changed = bring_back(saved.range.begin + at, saved.copy + at, size);
      if (!changed && saved.compare == Compare::start && base::fast_paths) break;
    }
  }
}

void initialise_tls(const Modules& modules, std::uintptr_t thread_pointer) {
  for (const Module& module : modules.all()) {
    if (!module.has_tls || module.role == ModuleRole::system) continue;
    auto* block = reinterpret_cast<std::byte*>(thread_pointer + static_cast<std::uintptr_t>(module.tls.offset));
    std::memcpy(block, module.tls.initial, module.tls.initial_size);
    std::memset(block + module.tls.initial_size, 0, module.tls.size - module.tls.initial_size);
  }
}

}  // namespace heddle::engine
