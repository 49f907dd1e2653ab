// The debug information of one ELF file: source positions of code addresses, variables at data addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "findings/finding.hpp"

namespace heddle::findings {

class DebugFile {
 public:
  /// If the file cannot be read, lookups find nothing.
  explicit DebugFile(const std::string& path);
  ~DebugFile();
  DebugFile(DebugFile&&) noexcept;
  DebugFile& operator=(DebugFile&&) = delete;

  /// The function at `address` (an address of the file) and the functions it was inlined into, innermost first. At
  /// least one frame, which is empty if nothing is known. The caller fills in `module` and `offset`.
  const std::vector<Frame>& frames(std::uint64_t address);

  struct Variable {
    std::string name;  ///< demangled
    std::uint64_t offset;
  };
  std::optional<Variable> variable(std::uint64_t address);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The C++ name of a mangled name; other names are returned unchanged.
std::string demangle(const char* name);

}  // namespace heddle::findings
