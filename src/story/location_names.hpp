// Names for the locations of a log: variables with their members, elements and types, blocks of the heap by the place
// of their allocation, stacks by their thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "findings/module_map.hpp"
#include "findings/symbolizer.hpp"
#include "findings/typed_names.hpp"
#include "story/execution_log.hpp"
#include "story/log_records.hpp"

namespace heddle::story {

struct HeapBlock {
  std::uint64_t address;
  std::uint64_t size;
  EventNumber allocation;
};

class LocationNames {
 public:
  LocationNames(const LogRecords& records, std::span<const HeapBlock> blocks, const findings::ModuleMap& modules,
                findings::Symbolizer& symbolizer)
      : records_(records), blocks_(blocks), modules_(modules), symbolizer_(symbolizer) {}

  /// Fills in name, type, place and allocation of the locations.
  void add_names(ExecutionLog& log);

 private:
  std::string name_of(const ExecutionLog& log, Location& location);
  std::string variable_name(Location& location);

  const LogRecords& records_;
  std::span<const HeapBlock> blocks_;
  const findings::ModuleMap& modules_;
  findings::Symbolizer& symbolizer_;
  std::map<std::string, findings::TypedNames> typed_names_;  ///< by the path of the module
};

}  // namespace heddle::story
