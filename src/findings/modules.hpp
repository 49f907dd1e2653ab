// The files that a process had loaded, and where: the `modules` JSON of channel/channel.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::findings {

/// "0x1f" or "1f"; 0 if it is neither.
std::uint64_t parse_address(std::string_view text);

struct Module {
  std::string path;
  std::uint64_t base = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string build_id;
};

class ModuleMap {
 public:
  ModuleMap() = default;
  /// Entries that make no sense are left out.
  static ModuleMap parse(std::string_view json);

  const Module* find(std::uint64_t address) const;

 private:
  std::vector<Module> modules_;
};

}  // namespace heddle::findings
