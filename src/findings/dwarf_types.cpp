#include "findings/dwarf_types.hpp"

#include <dwarf.h>
#include <fmt/format.h>

#include <string_view>

namespace heddle::findings {

namespace {

/// Whether the type comes from the C++ library: its members are no names of the user's.
bool is_of_library(Dwarf_Die* type) {
  const char* file = dwarf_decl_file(type);
  if (file == nullptr) return false;
  const std::string_view path = file;
  return path.find("/include/c++/") != path.npos || path.starts_with("/usr/lib/");
}

std::string name_of_type(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) {
    Dwarf_Die target;
    return (type_of(type, target) ? name_of_type(&target) : "void") + (tag == DW_TAG_pointer_type ? "*" : "&");
  }
  if (tag == DW_TAG_array_type) {
    Dwarf_Die element;
    return type_of(type, element) ? name_of_type(&element) + "[]" : "";
  }
  const char* name = dwarf_diename(type);
  if (name == nullptr) return "";
  return is_of_library(type) ? fmt::format("std::{}", name) : name;
}

bool offset_of(Dwarf_Die* member, std::uint64_t& offset) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute) == nullptr) return false;
  if (dwarf_formudata(&attribute, &value) != 0) return false;
  offset = value;
  return true;
}

}  // namespace

bool type_of(Dwarf_Die* die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == nullptr || dwarf_formref_die(&attribute, &type) == nullptr)
    return false;
  for (int depth = 0; depth < 16; ++depth) {
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_atomic_type)
      return true;
    Dwarf_Die inner;
    if (dwarf_attr(&type, DW_AT_type, &attribute) == nullptr || dwarf_formref_die(&attribute, &inner) == nullptr)
      return false;
    type = inner;
  }
  return true;
}

std::uint64_t size_of(Dwarf_Die* type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

NamedPart part_at(Dwarf_Die type, std::uint64_t offset) {
  NamedPart name{{}, {}, offset};
  for (int depth = 0; depth < 16; ++depth) {
    name.type = name_of_type(&type);
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_array_type) {
      Dwarf_Die element;
      const std::uint64_t size = type_of(&type, element) ? size_of(&element) : 0;
      if (size == 0) return name;
      name.path += fmt::format("[{}]", name.offset / size);
      name.offset %= size;
      type = element;
      continue;
    }
    const char* own_name = dwarf_diename(&type);
    const bool is_array = own_name != nullptr && std::string_view(own_name).starts_with("array<");
    const bool is_class = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (!is_class || (is_of_library(&type) && !is_array)) return name;
    Dwarf_Die child;
    bool has_member = false;
    for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
      const int kind = dwarf_tag(&child);
      if (kind != DW_TAG_member && kind != DW_TAG_inheritance) continue;
      std::uint64_t at = 0;
      Dwarf_Die inner;
      if (!offset_of(&child, at) || !type_of(&child, inner)) continue;
      const std::uint64_t size = size_of(&inner);
      if (name.offset < at || name.offset >= at + size) continue;
      const char* member = dwarf_diename(&child);
      if (kind == DW_TAG_member && member != nullptr && !is_array) name.path += fmt::format(".{}", member);
      name.offset -= at;
      type = inner;
      has_member = true;
      break;
    }
    if (!has_member) return name;
  }
  return name;
}

}  // namespace heddle::findings
