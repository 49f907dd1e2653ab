// Types of variables in debug information, and the names of their parts.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>

namespace heddle::findings {

/// A part of a variable.
struct NamedPart {
  std::string path;          ///< behind the variable's name: ".slots_[2]"; empty: the variable itself
  std::string type;          ///< as the source names it: "int", "std::atomic<bool>"; empty: it has none
  std::uint64_t offset = 0;  ///< in what `path` names
};

/// The type of a variable, member or element, without typedefs and qualifiers. Returns false if it has none.
bool type_of(Dwarf_Die* die, Dwarf_Die& type);
/// In bytes; 0: not known.
std::uint64_t size_of(Dwarf_Die* type);
/// The innermost member or element at the offset of a variable of this type. Types of the C++ library have no parts.
NamedPart part_at(Dwarf_Die type, std::uint64_t offset);

}  // namespace heddle::findings
