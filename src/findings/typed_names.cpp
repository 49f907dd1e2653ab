#include "findings/typed_names.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <map>
#include <string_view>

namespace heddle::findings {

namespace {

/// The type of a variable, member or element, without typedefs and qualifiers.
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

std::uint64_t size_of(Dwarf_Die* type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

bool offset_of(Dwarf_Die* member, std::uint64_t& offset) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute) == nullptr) return false;
  if (dwarf_formudata(&attribute, &value) != 0) return false;
  offset = value;
  return true;
}

/// Adds the members and elements down to the offset.
void descend(Dwarf_Die type, TypedNames::Name& name) {
  for (int depth = 0; depth < 16; ++depth) {
    name.type = name_of_type(&type);
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_array_type) {
      Dwarf_Die element;
      const std::uint64_t size = type_of(&type, element) ? size_of(&element) : 0;
      if (size == 0) return;
      name.path += fmt::format("[{}]", name.offset / size);
      name.offset %= size;
      type = element;
      continue;
    }
    const char* own_name = dwarf_diename(&type);
    const bool is_array = own_name != nullptr && std::string_view(own_name).starts_with("array<");
    const bool is_class = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (!is_class || (is_of_library(&type) && !is_array)) return;
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
    if (!has_member) return;
  }
}

}  // namespace

class TypedNames::Implementation {
 public:
  explicit Implementation(const std::string& path) {
    static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                             dwfl_offline_section_address, nullptr};
    dwfl_ = dwfl_begin(&callbacks);
    if (dwfl_ == nullptr) return;
    Dwfl_Module* module = dwfl_report_offline(dwfl_, path.c_str(), path.c_str(), -1);
    dwfl_report_end(dwfl_, nullptr, nullptr);
    if (module == nullptr) return;
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) add_variables(unit, 0);
  }
  ~Implementation() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  std::optional<Name> find(std::uint64_t variable, std::uint64_t offset) {
    const auto found = variables_.find(variable);
    Dwarf_Die type;
    if (found == variables_.end() || !type_of(&found->second, type)) return std::nullopt;
    Name name{{}, {}, offset};
    descend(type, name);
    return name;
  }

 private:
  void add_variables(Dwarf_Die* parent, int depth) {
    Dwarf_Die child;
    if (depth > 8 || dwarf_child(parent, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_variable) add_variable(child);
      if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)
        add_variables(&child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  void add_variable(Dwarf_Die variable) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) return;
    if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) return;
    if (operations[0].atom == DW_OP_addr) variables_.emplace(operations[0].number, variable);
  }

  Dwfl* dwfl_ = nullptr;
  std::map<std::uint64_t, Dwarf_Die> variables_;  ///< by their address in the file
};

TypedNames::TypedNames(const std::string& path) : implementation_(std::make_unique<Implementation>(path)) {}
TypedNames::~TypedNames() = default;
TypedNames::TypedNames(TypedNames&&) noexcept = default;
std::optional<TypedNames::Name> TypedNames::find(std::uint64_t variable, std::uint64_t offset) {
  return implementation_->find(variable, offset);
}

}  // namespace heddle::findings
