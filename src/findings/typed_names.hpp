// Names of global variables with their members and elements, from the debug information: "ring.slots_[2]", with its
// type.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "findings/dwarf_types.hpp"

namespace heddle::findings {

class TypedNames {
 public:
  /// If the file has no debug information, find() finds nothing.
  explicit TypedNames(const std::string& path);
  ~TypedNames();
  TypedNames(TypedNames&&) noexcept;
  TypedNames& operator=(TypedNames&&) = delete;

  /// The part of the variable that begins at `variable` (an address of the file) at this offset of it.
  std::optional<NamedPart> find(std::uint64_t variable, std::uint64_t offset);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heddle::findings
