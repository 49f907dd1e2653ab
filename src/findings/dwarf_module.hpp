// The debug information of one ELF file, opened with elfutils' libdwfl.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::findings {

class DwarfModule {
 public:
  /// If the file cannot be read, get() is null.
  explicit DwarfModule(const std::string& path);
  ~DwarfModule();
  DwarfModule(const DwarfModule&) = delete;
  DwarfModule& operator=(const DwarfModule&) = delete;

  Dwfl_Module* get() const { return module_; }
  /// What libdwfl adds to the addresses of the file.
  Dwarf_Addr bias() const { return bias_; }
  /// The compilation unit of an address, with the bias. Addresses in the unit are smaller by `debug_bias`. Null: none.
  Dwarf_Die* unit_of(Dwarf_Addr address, Dwarf_Addr& debug_bias) const;

 private:
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
};

/// The blocks and functions around `address`, innermost first, as the code nests them; in the source, an inlined
/// function is elsewhere.
std::vector<Dwarf_Die> concrete_scopes(Dwarf_Die* unit, Dwarf_Addr address);

}  // namespace heddle::findings
