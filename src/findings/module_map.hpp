// The files that a worker's process had loaded, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "channel/record.hpp"

namespace heddle::findings {

struct LoadedFile {
  std::string path;
  std::uint64_t base = 0;   ///< an address of the process, less this, is an address of the file
  std::uint64_t begin = 0;  ///< the file is mapped to [begin, end)
  std::uint64_t end = 0;
  bool is_instrumented = false;
  bool is_foreign = false;  ///< not the program's file, nor of the C library, the C++ library or heddle
  bool is_trusted = false;  ///< --trust names it
};

class ModuleMap {
 public:
  ModuleMap() = default;
  /// The ModuleRecords of the channel. Records that are not well-formed are left out.
  static ModuleMap decode(channel::Words records);

  const LoadedFile* find(std::uint64_t address) const;
  const std::vector<LoadedFile>& all() const { return modules_; }
  /// unseen_libraries() of these modules (findings/hints.hpp), found at the first call.
  const std::vector<std::string>& unseen() const;

 private:
  std::vector<LoadedFile> modules_;
  mutable std::optional<std::vector<std::string>> unseen_;
};

}  // namespace heddle::findings
