#include "findings/dwarf_module.hpp"

#include <dwarf.h>

#include <cstdlib>

namespace heddle::findings {

namespace {

bool may_contain_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/// Finds the innermost scope with code at `address` below `parent`. libdw does not look into a function whose own code
/// is elsewhere, such as that around a lambda that gcc has not inlined.
bool find_innermost(Dwarf_Die* parent, Dwarf_Addr address, Dwarf_Die& innermost) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return false;
  do {
    if (!may_contain_functions(dwarf_tag(&child))) continue;
    const bool has_address = dwarf_haspc(&child, address) > 0;
    if (has_address) innermost = child;
    if (find_innermost(&child, address, innermost) || has_address) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

}  // namespace

DwarfModule::DwarfModule(const std::string& path) {
  static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                           dwfl_offline_section_address, nullptr};
  dwfl_ = dwfl_begin(&callbacks);
  if (dwfl_ == nullptr) return;
  module_ = dwfl_report_offline(dwfl_, path.c_str(), path.c_str(), -1);
  dwfl_report_end(dwfl_, nullptr, nullptr);
  if (module_ == nullptr || dwfl_module_getelf(module_, &bias_) == nullptr) module_ = nullptr;
}

DwarfModule::~DwarfModule() {
  if (dwfl_ != nullptr) dwfl_end(dwfl_);
}

// libdw finds the unit through an index (.debug_aranges) that clang does not write. Without it, every unit is searched.
Dwarf_Die* DwarfModule::unit_of(Dwarf_Addr address, Dwarf_Addr& debug_bias) const {
  if (module_ == nullptr) return nullptr;
  if (Dwarf_Die* unit = dwfl_module_addrdie(module_, address, &debug_bias); unit != nullptr) return unit;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module_, unit, &debug_bias)) != nullptr)
    if (dwarf_haspc(unit, address - debug_bias) > 0) return unit;
  return nullptr;
}

std::vector<Dwarf_Die> concrete_scopes(Dwarf_Die* unit, Dwarf_Addr address) {
  Dwarf_Die* found = nullptr;
  Dwarf_Die innermost;
  if (dwarf_getscopes(unit, address, &found) > 0) {
    innermost = found[0];
    std::free(found);
  }
  const bool is_known = found != nullptr && dwarf_tag(&innermost) != DW_TAG_compile_unit;
  if (!is_known && !find_innermost(unit, address, innermost)) return {};
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&innermost, &scopes);
  std::vector<Dwarf_Die> result;
  if (count > 0) result.assign(scopes, scopes + count);
  std::free(scopes);
  return result;
}

}  // namespace heddle::findings
