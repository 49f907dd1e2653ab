// The files that a worker's process had loaded, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "channel/record.hpp"

namespace heddle::findings {

struct Module {
  std::string path;
  std::uint64_t base = 0;   ///< an address of the process, less this, is an address of the file
  std::uint64_t begin = 0;  ///< the file is mapped to [begin, end)
  std::uint64_t end = 0;
};

class ModuleMap {
 public:
  ModuleMap() = default;
  /// The ModuleRecords of the channel. Records that are not well-formed are left out.
  static ModuleMap decode(channel::Words records);

  const Module* find(std::uint64_t address) const;

 private:
  std::vector<Module> modules_;
};

}  // namespace heddle::findings
