// Plain accesses of the program, as entry points announce them.
#pragma once

#include "abi/runtime.hpp"
#include "abi/scrub.hpp"

namespace heddle::abi {

[[gnu::noinline]] inline void access(const void* at, std::size_t size, bool is_write, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const bool was_easy = engine->plain().access(address_of(at), size, is_write, site);
  if (engine->compares_stacks()) [[unlikely]]
    was_easy ? engine::wipe_stack<engine::easy_access_stack>() : engine::wipe_stack();
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
      races::Detector::Place place;
      if (plain.needs_no_record<size, type>(address_of(at), stretch, place)) return;
      const std::uint64_t first_word = stretch.first_word<type>(place.bytes);
      if (!plain.try_record_uncontended(address_of(at), place.cell, first_word, size, site))
        plain.access_contended(address_of(at), size, is_write(type), site);
      return;
    }
  }
  access(at, size, is_write(type), site);
}

}  // namespace heddle::abi
