#include "engine/waiting/program_memory.hpp"

#include <cstring>

namespace heddle::engine {

bool ProgramMemory::read(std::uint64_t address, void* to, std::size_t size) const {
  const Module* module = modules_.find(address);
  const bool is_readable =
      module != nullptr ? module->all.contains(address + size - 1)
                        : heap_.contains(reinterpret_cast<const void*>(address)) && heap_.find_block(address).size != 0;
  if (!is_readable) return false;
  std::memcpy(to, reinterpret_cast<const void*>(address), size);
  if (read_count_ <= most_reads && !is_constant(address)) {
    Read& read = reads_[read_count_++];
    read = {address, 0, static_cast<std::uint32_t>(size)};
    std::memcpy(&read.value, to, size);
  }
  return true;
}

bool ProgramMemory::has_changed(std::uint64_t address, std::size_t size) const {
  for (const RetryWindow::Write& write : changed_)
    if (address < write.address + write.size && write.address < address + size) return true;
  return false;
}

bool ProgramMemory::is_constant(std::uint64_t address) const {
  const Module* module = modules_.find(address);
  if (module == nullptr) return false;
  for (const Range& range : module->writable)
    if (range.contains(address)) return false;
  return true;
}

bool ProgramMemory::is_program_code(std::uint64_t address) const {
  if (code_.contains(address)) return true;
  const Module* module = modules_.find(address);
  if (module == nullptr || module->role != ModuleRole::program) return false;
  code_ = module->all;
  return true;
}

}  // namespace heddle::engine
