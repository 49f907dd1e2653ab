#include "findings/local_names.hpp"

#include <dwarf.h>

#include "findings/dwarf_module.hpp"

namespace heddle::findings {

namespace {

/// The x86-64 numbers of registers in debug information.
constexpr unsigned frame_pointer = 6, stack_pointer = 7;

/// Distances of the memory from what locations of variables are relative to.
struct Distances {
  std::int64_t from_cfa;
  std::int64_t from_stack_pointer;
  std::optional<std::int64_t> from_frame_base;

  /// A function that has a frame pointer pushes the caller's first, below its own return address.
  std::int64_t from_frame_pointer() const { return from_cfa + 16; }
};

std::optional<std::int64_t> distance_from_frame_base(Dwarf_Die* function, const Distances& distances) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) == nullptr) return std::nullopt;
  if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) return std::nullopt;
  switch (operations[0].atom) {
    case DW_OP_call_frame_cfa: return distances.from_cfa;
    case DW_OP_reg0 + frame_pointer: return distances.from_frame_pointer();
    case DW_OP_reg0 + stack_pointer: return distances.from_stack_pointer;
    default: return std::nullopt;
  }
}

/// How far the memory is from the one that the location describes; nothing: the location is no such memory.
std::optional<std::int64_t> distance_from(const Dwarf_Op& location, const Distances& distances) {
  const auto start = static_cast<std::int64_t>(location.number);
  switch (location.atom) {
    case DW_OP_fbreg:
      if (!distances.from_frame_base) return std::nullopt;
      return *distances.from_frame_base - start;
    case DW_OP_breg0 + frame_pointer: return distances.from_frame_pointer() - start;
    case DW_OP_breg0 + stack_pointer: return distances.from_stack_pointer - start;
    default: return std::nullopt;
  }
}

/// The part of the variable that is at the distances, if the variable is there in some part of the function; with `pc`,
/// only if a list of locations says that it is there at this address.
std::optional<LocalNames::Local> part_of_variable(Dwarf_Die* variable, const Distances& distances,
                                                  std::optional<Dwarf_Addr> pc) {
  const char* name = dwarf_diename(variable);
  Dwarf_Die type;
  Dwarf_Attribute attribute;
  if (name == nullptr || !type_of(variable, type)) return std::nullopt;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  const std::uint64_t size = size_of(&type);
  Dwarf_Addr base = 0, begin = 0, end = 0;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  for (std::ptrdiff_t next = 0;
       (next = dwarf_getlocations(&attribute, next, &base, &begin, &end, &operations, &count)) > 0;) {
    constexpr Dwarf_Addr everywhere = ~Dwarf_Addr{0};  // this is no list
    if (count != 1 || (pc && (end == everywhere || *pc < begin || *pc >= end))) continue;
    const auto distance = distance_from(operations[0], distances);
    if (distance && *distance >= 0 && static_cast<std::uint64_t>(*distance) < size)
      return LocalNames::Local{name, part_at(type, static_cast<std::uint64_t>(*distance))};
  }
  return std::nullopt;
}

/// Looks at the variables and parameters of a block or function. With `pc`, at those of its blocks, too, that are there
/// at this address.
std::optional<LocalNames::Local> find_in(Dwarf_Die* scope, const Distances& distances,
                                         std::optional<Dwarf_Addr> pc = std::nullopt) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return std::nullopt;
  do {
    const int tag = dwarf_tag(&child);
    std::optional<LocalNames::Local> found;
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) found = part_of_variable(&child, distances, pc);
    if (pc && (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)) found = find_in(&child, distances, pc);
    if (found) return found;
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

}  // namespace

class LocalNames::Implementation {
 public:
  explicit Implementation(const std::string& path) : file_(path) {}

  std::optional<Local> find(std::uint64_t pc, const channel::FramePlace& place) {
    // A return address is that of the next instruction, which may belong to another block or function.
    const Dwarf_Addr address = pc - 1 + file_.bias();
    Dwarf_Addr debug_bias = 0;
    Dwarf_Die* unit = file_.unit_of(address, debug_bias);
    if (unit == nullptr) return std::nullopt;
    auto scopes = concrete_scopes(unit, address - debug_bias);
    Dwarf_Die* function = nullptr;
    for (Dwarf_Die& scope : scopes) {
      function = &scope;
      if (dwarf_tag(&scope) == DW_TAG_subprogram) break;
    }
    if (function == nullptr) return std::nullopt;
    Distances distances{place.from_cfa, place.from_stack, std::nullopt};
    distances.from_frame_base = distance_from_frame_base(function, distances);
    // Blocks that do not contain the address may use the same memory for other variables, which are not there any more.
    for (Dwarf_Die& scope : scopes) {
      if (auto found = find_in(&scope, distances)) return found;
      if (&scope == function) break;
    }
    return find_in(function, distances, address - debug_bias);
  }

 private:
  DwarfModule file_;
};

LocalNames::LocalNames(const std::string& path) : implementation_(std::make_unique<Implementation>(path)) {}
LocalNames::~LocalNames() = default;
LocalNames::LocalNames(LocalNames&&) noexcept = default;
std::optional<LocalNames::Local> LocalNames::find(std::uint64_t pc, const channel::FramePlace& place) {
  return implementation_->find(pc, place);
}

}  // namespace heddle::findings
