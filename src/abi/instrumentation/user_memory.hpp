// Announcements of what a function of the runtime that stands for one of the C library reads and writes for its caller.
// The tables of checked calls (checked_call.hpp) do the same for functions that the C library itself executes.
#pragma once

#include "abi/instrumentation/plain_access.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

inline void announce_array(const void* at, std::size_t size, bool is_write, std::uint64_t site) {
  if (at != nullptr && size != 0 && running_for_instrumented(site) != nullptr) access(at, size, is_write, site);
}
/// Null pointers are allowed: many arguments are optional.
template <typename T>
void reads_object(const T* at, std::uint64_t site) {
  announce_array(at, sizeof *at, false, site);
}
template <typename T>
void writes_object(const T* at, std::uint64_t site) {
  announce_array(at, sizeof *at, true, site);
}
inline void reads_text(const char* text, std::uint64_t site) {
  if (text == nullptr || running_for_instrumented(site) == nullptr) return;
  std::size_t size = 1;
  while (text[size - 1] != '\0') ++size;
  access(text, size, false, site);
}

}  // namespace heddle::abi
