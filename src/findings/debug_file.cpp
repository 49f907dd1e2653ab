#include "findings/debug_file.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

#include "findings/dwarf_module.hpp"

namespace heddle::findings {

namespace {

const char* text_attribute(Dwarf_Die* die, std::initializer_list<unsigned> names) {
  Dwarf_Attribute attribute;
  for (const unsigned name : names) {
    if (dwarf_attr_integrate(die, name, &attribute) != nullptr) return dwarf_formstring(&attribute);
  }
  return nullptr;
}

/// The name of a function without a mangled name, with its enclosing scopes: "main::{lambda}::operator()".
std::string qualified_name(Dwarf_Die* function) {
  // The scopes are those of the declaration; the code may be inlined elsewhere.
  Dwarf_Die declaration = *function;
  Dwarf_Attribute attribute;
  for (const unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Die target;
    if (dwarf_attr(&declaration, link, &attribute) != nullptr && dwarf_formref_die(&attribute, &target) != nullptr) {
      declaration = target;
    }
  }
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  std::string name;
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    const char* part = text_attribute(&scopes[i], {DW_AT_name});
    if (tag == DW_TAG_namespace && part == nullptr) part = "(anonymous namespace)";
    const bool is_class = tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
    if (is_class && (part == nullptr || std::string_view(part).starts_with("<lambda"))) part = "{lambda}";
    if (part == nullptr || !(is_class || tag == DW_TAG_namespace || tag == DW_TAG_subprogram)) continue;
    name = name.empty() ? std::string(part) : fmt::format("{}::{}", part, name);
  }
  std::free(scopes);
  return name;
}

/// `symbol` is the name of that address in the symbol table. Functions without external linkage have a mangled name
/// there, but none in the debug information.
std::string function_name(Dwarf_Die* die, const char* symbol) {
  const char* mangled = text_attribute(die, {DW_AT_linkage_name, DW_AT_MIPS_linkage_name});
  const bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
  if (mangled == nullptr && !inlined && symbol != nullptr && std::string_view(symbol).starts_with("_Z")) {
    mangled = symbol;
  }
  if (mangled == nullptr) return qualified_name(die);
  std::string name = demangle(mangled);
  // A part that the optimiser split off ("f() [clone .cold]") is shown as f().
  if (const auto clone = name.find(" [clone "); clone != name.npos) name.erase(clone);
  return name;
}

unsigned constant(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
  return static_cast<unsigned>(value);
}

std::string absolute_path(const char* file, Dwarf_Die* unit) {
  if (file == nullptr) return {};
  std::filesystem::path path(file);
  if (path.is_relative() && unit != nullptr) {
    Dwarf_Attribute attribute;
    const char* folder = nullptr;
    if (dwarf_attr(unit, DW_AT_comp_dir, &attribute) != nullptr) folder = dwarf_formstring(&attribute);
    if (folder != nullptr) path = std::filesystem::path(folder) / path;
  }
  return path.lexically_normal().string();
}

/// The source position of the call of the function that was inlined as `die`.
struct CallSite {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

CallSite call_site(Dwarf_Die* die, Dwarf_Die* unit) {
  CallSite site{{}, constant(die, DW_AT_call_line), constant(die, DW_AT_call_column)};
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const unsigned index = constant(die, DW_AT_call_file);
  if (dwarf_getsrcfiles(unit, &files, &count) == 0 && index < count) {
    site.file = absolute_path(dwarf_filesrc(files, index, nullptr, nullptr), unit);
  }
  return site;
}

}  // namespace

std::string demangle(const char* name) {
  if (name == nullptr) return {};
  // The demangler also accepts types: it would turn the name `a` into "signed char".
  if (!std::string_view(name).starts_with("_Z")) return name;
  int status = 0;
  char* demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && demangled != nullptr ? demangled : name;
  std::free(demangled);
  return result;
}

class DebugFile::Implementation {
 public:
  explicit Implementation(const std::string& path) : file_(path) {}

  /// Findings have most of their addresses in common, and libdw searches a whole unit for each.
  const std::vector<Frame>& frames(std::uint64_t file_address) {
    const auto [known, is_new] = frames_.try_emplace(file_address);
    if (is_new) known->second = read_frames(file_address);
    return known->second;
  }

  std::optional<Variable> variable(std::uint64_t file_address) {
    if (file_.get() == nullptr) return std::nullopt;
    if (!variables_read_) read_variables();
    const auto after = std::upper_bound(variables_.begin(), variables_.end(), file_address,
                                        [](std::uint64_t a, const Range& range) { return a < range.begin; });
    if (after == variables_.begin()) return std::nullopt;
    const Range& range = *std::prev(after);
    // Variables of assembler code have size 0; only their first byte belongs to them for certain.
    if (file_address - range.begin >= std::max<std::uint64_t>(range.size, 1)) return std::nullopt;
    return Variable{demangle(range.name), file_address - range.begin};
  }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t size;
    const char* name;
  };

  std::vector<Frame> read_frames(std::uint64_t file_address) const {
    Frame place;
    if (file_.get() == nullptr) return {place};
    const Dwarf_Addr address = file_address + file_.bias();
    Dwarf_Addr debug_bias = 0;
    Dwarf_Die* unit = file_.unit_of(address, debug_bias);
    if (unit != nullptr) place = line_of(unit, address - debug_bias);
    std::vector<Frame> result;
    const char* symbol = dwfl_module_addrname(file_.get(), address);
    if (unit != nullptr) unwind_inlined(unit, address - debug_bias, symbol, place, result);
    if (result.empty()) {
      place.function = demangle(symbol);
      result.push_back(place);
    }
    return result;
  }

  static Frame line_of(Dwarf_Die* unit, Dwarf_Addr address) {
    Frame place;
    Dwarf_Line* line = dwarf_getsrc_die(unit, address);
    if (line == nullptr) return place;
    int number = 0;
    int column = 0;
    dwarf_lineno(line, &number);
    dwarf_linecol(line, &column);
    place.file = absolute_path(dwarf_linesrc(line, nullptr, nullptr), unit);
    place.line = static_cast<unsigned>(number);
    place.column = static_cast<unsigned>(column);
    return place;
  }

  static void unwind_inlined(Dwarf_Die* unit, Dwarf_Addr address, const char* symbol, Frame place,
                             std::vector<Frame>& out) {
    for (Dwarf_Die& scope : concrete_scopes(unit, address)) {
      const int tag = dwarf_tag(&scope);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      place.function = function_name(&scope, symbol);
      place.inlined = tag == DW_TAG_inlined_subroutine;
      int function_line = 0;
      place.function_line = dwarf_decl_line(&scope, &function_line) == 0 ? static_cast<unsigned>(function_line) : 0;
      out.push_back(place);
      if (!place.inlined) break;
      const CallSite site = call_site(&scope, unit);
      place.file = site.file;
      place.line = site.line;
      place.column = site.column;
    }
  }

  void read_variables() {
    variables_read_ = true;
    const int count = dwfl_module_getsymtab(file_.get());
    for (int i = 1; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      const char* name = dwfl_module_getsym_info(file_.get(), i, &symbol, &address, nullptr, nullptr, nullptr);
      if (name == nullptr || *name == '\0' || symbol.st_shndx == SHN_UNDEF) continue;
      if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      variables_.push_back({address - file_.bias(), symbol.st_size, name});
    }
    // Of several symbols for one address, the largest is taken, then the first by name, so that runs agree.
    std::sort(variables_.begin(), variables_.end(), [](const Range& a, const Range& b) {
      if (a.begin != b.begin) return a.begin < b.begin;
      if (a.size != b.size) return a.size < b.size;
      return std::string_view(a.name) > std::string_view(b.name);
    });
  }

  DwarfModule file_;
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;
  bool variables_read_ = false;
  std::vector<Range> variables_;
};

DebugFile::DebugFile(const std::string& path) : implementation_(std::make_unique<Implementation>(path)) {}
DebugFile::~DebugFile() = default;
DebugFile::DebugFile(DebugFile&&) noexcept = default;
const std::vector<Frame>& DebugFile::frames(std::uint64_t address) { return implementation_->frames(address); }
std::optional<DebugFile::Variable> DebugFile::variable(std::uint64_t address) {
  return implementation_->variable(address);
}

}  // namespace heddle::findings
