// Plain accesses of the program, as entry points announce them.
#pragma once

#include "abi/instrumentation/scrub.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

[[gnu::noinline]] inline void access(const void* at, std::size_t size, bool is_write, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const bool was_easy = engine->plain().access(address_of(at), size, is_write, site);
  if (engine->compares_stacks()) [[unlikely]]
    was_easy ? engine::wipe_stack<engine::easy_access_stack>() : engine::wipe_stack();
}
/// True: the access, which has raced in another execution, is announced as an event.
[[gnu::cold, gnu::noinline]] inline bool announce_racy_access(engine::Engine& engine, const void* at, std::uint8_t size,
                                                              bool is_write, std::uint64_t site) {
  const Scrub scrub(engine);
  return engine.announce_racy_access({address_of(at), size, graph::MemoryOrder::relaxed, site}, is_write);
}
/// An access for which PlainMemory::may_skip_steps() is false.
[[gnu::noinline]] inline void access_without_skipping(const void* at, std::size_t size, bool is_write,
                                                      std::uint64_t site) {
  running()->plain().count_access(site);
  access(at, size, is_write, site);
}
/// Accesses of 1, 2, 4 or 8 bytes try the fast paths first.
template <std::size_t size, races::AccessType type>
[[gnu::always_inline]] inline void access(const void* at, std::uint64_t site) {
  if constexpr (size <= 8) {
    engine::Engine* engine = running();
    if (engine == nullptr) return;
    engine::PlainMemory& plain = engine->plain();
    if (plain.may_skip_steps()) {
      const races::PlainAccesses stretch = plain.accesses_until_next_event();
      const races::Detector::Place place = plain.place_of(address_of(at), size);
      if (plain.is_remembered<type>(place, stretch)) return;
      return plain.access_for_the_first_time<type>(address_of(at), place.cell, stretch.first_word<type>(place.bytes),
                                                   size, site);
    }
    if (plain.is_racy(site) && announce_racy_access(*engine, at, size, is_write(type), site)) return;
    return access_without_skipping(at, size, is_write(type), site);
  }
  access(at, size, is_write(type), site);
}

}  // namespace heddle::abi
