// One ELF file with its debug information: code addresses to source places, data addresses to variables.
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
  /// A file that cannot be read is one that knows nothing.
  explicit DebugFile(const std::string& path);
  ~DebugFile();
  DebugFile(DebugFile&&) noexcept;
  DebugFile& operator=(DebugFile&&) = delete;

  /// The function at `address` (as in the file) and those that it was inlined into, innermost first. At least
  /// one frame, if only an empty one. `module` and `offset` are left to the caller.
  std::vector<Frame> frames(std::uint64_t address);

  struct Variable {
    std::string name;  ///< demangled
    std::uint64_t offset;
  };
  std::optional<Variable> variable(std::uint64_t address);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The C++ name, or the name itself where it is not mangled.
std::string demangle(const char* name);

}  // namespace heddle::findings
