#include "story/location_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "findings/stack_ends.hpp"

namespace heddle::story {

namespace {

std::string with_offset(std::string name, std::uint64_t offset) {
  return offset == 0 ? name : fmt::format("{}+{}", name, offset);
}

std::string block_name(const ExecutionLog& log, const Event& allocation) {
  for (const findings::Frame& frame : allocation.stack.frames)
    if (!findings::is_library_frame(frame) && !frame.file.empty())
      return fmt::format("the block of {}:{}", std::filesystem::path(frame.file).filename().string(), frame.line);
  return fmt::format("a heap block of {}", allocation.thread ? log.threads[*allocation.thread].label : "T0");
}

}  // namespace

void LocationNames::add_names(ExecutionLog& log) {
  for (Location& location : log.locations) {
    if (const auto local = records_.locals.find(location.address.value); local != records_.locals.end())
      location.address.frame = local->second;
    symbolizer_.symbolize(location.address, modules_);
    location.name = name_of(log, location);
  }
}

std::string LocationNames::name_of(const ExecutionLog& log, Location& location) {
  const std::uint64_t address = location.address.value;
  if (address == 0) return location.object.empty() ? "memory" : location.object;
  for (const ThreadRecord& thread : records_.threads)
    if (thread.stack_begin <= address && address < thread.stack_end) {
      location.place = findings::Place::stack;
      if (location.address.symbol.empty()) return fmt::format("a variable on the stack of {}", thread.label);
    }
  if (!location.address.symbol.empty()) return variable_name(location);
  for (const HeapBlock& block : blocks_)
    if (block.address <= address && address < block.address + std::max<std::uint64_t>(block.size, 1)) {
      location.place = findings::Place::heap;
      location.allocation = block.allocation;
      return with_offset(block_name(log, log.events[block.allocation]), address - block.address);
    }
  return "memory at an address without a name";
}

/// With members and elements, where the debug information has them.
std::string LocationNames::variable_name(Location& location) {
  const findings::DataAddress& address = location.address;
  if (location.place == findings::Place::stack) {
    location.type = address.type;
    return with_offset(address.symbol, address.offset);
  }
  const findings::LoadedFile* module = modules_.find(address.value);
  if (module == nullptr) return with_offset(address.symbol, address.offset);
  auto known = typed_names_.find(module->path);
  if (known == typed_names_.end()) known = typed_names_.emplace(module->path, findings::TypedNames(module->path)).first;
  const auto typed = known->second.find(address.value - module->base - address.offset, address.offset);
  if (!typed) return with_offset(address.symbol, address.offset);
  location.type = typed->type;
  return with_offset(address.symbol + typed->path, typed->offset);
}

}  // namespace heddle::story
