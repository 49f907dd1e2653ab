#include "findings/typed_names.hpp"

#include <dwarf.h>

#include <map>

#include "findings/dwarf_module.hpp"

namespace heddle::findings {

class TypedNames::Implementation {
 public:
  explicit Implementation(const std::string& path) : file_(path) {
    if (file_.get() == nullptr) return;
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(file_.get(), unit, &bias)) != nullptr) add_variables(unit, 0);
  }

  std::optional<NamedPart> find(std::uint64_t variable, std::uint64_t offset) {
    const auto found = variables_.find(variable);
    Dwarf_Die type;
    if (found == variables_.end() || !type_of(&found->second, type)) return std::nullopt;
    return part_at(type, offset);
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

  DwarfModule file_;
  std::map<std::uint64_t, Dwarf_Die> variables_;  ///< by their address in the file
};

TypedNames::TypedNames(const std::string& path) : implementation_(std::make_unique<Implementation>(path)) {}
TypedNames::~TypedNames() = default;
TypedNames::TypedNames(TypedNames&&) noexcept = default;
std::optional<NamedPart> TypedNames::find(std::uint64_t variable, std::uint64_t offset) {
  return implementation_->find(variable, offset);
}

}  // namespace heddle::findings
