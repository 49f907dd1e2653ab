#include "findings/module_map.hpp"

#include "channel/finding_record.hpp"
#include "findings/hints.hpp"

namespace heddle::findings {

ModuleMap ModuleMap::decode(channel::Words records) {
  ModuleMap map;
  channel::RecordReader reader(records);
  while (const auto section = reader.next<channel::Section>()) {
    if (*section != channel::Section::module) continue;
    const auto record = reader.read<channel::ModuleRecord>();
    if (!record || record->begin >= record->end) continue;
    map.modules_.push_back({std::string(record->path), record->base, record->begin, record->end,
                            record->is_instrumented, record->is_foreign, record->is_trusted});
  }
  return map;
}

const LoadedFile* ModuleMap::find(std::uint64_t address) const {
  for (const LoadedFile& module : modules_) {
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

const std::vector<std::string>& ModuleMap::unseen() const {
  if (!unseen_) unseen_ = unseen_libraries(*this);
  return *unseen_;
}

}  // namespace heddle::findings
