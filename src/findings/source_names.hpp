// Names for places in a program's code that survive a new build: the function, and the text of the line. If the source
// cannot be read: how many lines the place is after the function's beginning. Without debug information, the function
// alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "findings/debug_file.hpp"

namespace heddle::findings {

class SourceNames {
 public:
  explicit SourceNames(std::string program) : program_(std::move(program)), debug_file_(program_) {}

  /// The name of the place at an address of the file.
  std::uint64_t name_of(std::uint64_t address);
  /// call_sites() of the program (findings/elf_symbols.hpp).
  std::vector<std::uint64_t> call_sites() const;

 private:
  std::string line_text(const Frame& frame);

  std::string program_;
  DebugFile debug_file_;
  std::map<std::uint64_t, std::uint64_t> names_;           ///< by address
  std::map<std::string, std::vector<std::string>> files_;  ///< their lines, by path
};

}  // namespace heddle::findings
