#include "story/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "findings/edited_place.hpp"
#include "findings/stack_ends.hpp"

namespace heddle::story {

namespace {

std::string with_order(const Event& event) {
  const std::string order = order_text(event);
  return order.empty() ? "" : fmt::format(" ({})", order);
}

std::string read_text(const ExecutionLog& log, const Event& event) {
  return event.read ? value_text(log, *event.read, event.size) : "a value";
}
std::string written_text(const ExecutionLog& log, const Event& event) {
  return event.written ? value_text(log, *event.written, event.size) : "a value";
}

/// "atomic fetch_add" without "atomic".
std::string short_operation(const Event& event) {
  const std::string prefix = "atomic ";
  return event.operation.starts_with(prefix) ? event.operation.substr(prefix.size()) : event.operation;
}

std::string object_text(const ExecutionLog& log, const Event& event) {
  if (!event.location) return "";
  const Location& location = log.locations[*event.location];
  if (location.object.empty() || location.address.value == 0) return variable_text(log, event);
  return location.address.symbol.empty() ? "the " + location.object
                                         : fmt::format("the {} {}", location.object, variable_text(log, event));
}

}  // namespace

findings::SourcePlace place_of(const Event& event) {
  const findings::Frame* frame = findings::edited_frame(event.stack.frames).frame;
  return frame == nullptr ? findings::SourcePlace{}
                          : findings::SourcePlace{frame->file, frame->line, frame->column, frame->function};
}

std::string wrapper_of(const Event& event) {
  const findings::Frame* wrapper = findings::edited_frame(event.stack.frames).wrapper;
  if (wrapper == nullptr) return "";
  return wrapper->function.substr(0, wrapper->function.find('('));
}

bool is_in_library(const Event& event) {
  for (const findings::Frame& frame : event.stack.frames)
    if (!frame.file.empty() && frame.line != 0 && !findings::is_library_frame(frame)) return false;
  return true;
}

std::string short_place(const ExecutionLog& log, const findings::SourcePlace& place) {
  if (place.file.empty()) return "";
  if (log.has_one_file) return fmt::format("line {}", place.line);
  return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return text;
}

std::string order_text(const Event& event) {
  return event.order == graph::MemoryOrder::plain ? "" : order_name(event.order);
}

std::string variable_text(const ExecutionLog& log, const Event& event) {
  if (!event.location) return "";
  const Location& location = log.locations[*event.location];
  const bool is_phrase = location.address.symbol.empty() && location.name.find(' ') != std::string::npos;
  return is_phrase ? location.name : fmt::format("`{}`", location.name);
}

bool is_pointer(graph::Value value, std::size_t size) {
  constexpr std::uint64_t smallest_address = 1ULL << 32;
  const auto low = static_cast<std::uint64_t>(value);
  return size == 8 && low >= smallest_address && ~low >= smallest_address;
}

std::string value_text(const ExecutionLog& log, graph::Value value, std::size_t size) {
  const auto high = static_cast<std::uint64_t>(value >> 64), low = static_cast<std::uint64_t>(value);
  if (high != 0 || size > 8) return "a wide value";
  if (is_pointer(value, size)) {
    const auto found = std::find(log.pointers.begin(), log.pointers.end(), value);
    const auto number = static_cast<std::size_t>(found - log.pointers.begin());
    return number < 26 ? fmt::format("pointer {}", static_cast<char>('A' + number)) : fmt::format("pointer {}", number);
  }
  if (size == 4 && low > INT32_MAX) return fmt::format("{}", static_cast<std::int32_t>(low));
  if (size == 8) return fmt::format("{}", static_cast<std::int64_t>(low));
  return fmt::format("{}", low);
}

std::string operation_noun(const Event& event) {
  switch (event.kind) {
    case EventKind::rmw: return short_operation(event);
    case EventKind::failed_exchange: return "failed compare_exchange";
    case EventKind::lock:
    case EventKind::unlock:
    case EventKind::fence:
    case EventKind::create:
    case EventKind::start:
    case EventKind::join:
    case EventKind::finish:
    case EventKind::other: return event.operation;
    default: return name_of(event.kind);
  }
}

std::string action_text(const ExecutionLog& log, EventNumber number) {
  const Event& event = log.events[number];
  const std::string variable = variable_text(log, event);
  switch (event.kind) {
    case EventKind::init: return fmt::format("{} is {} at first", variable, written_text(log, event));
    case EventKind::load: return fmt::format("loads {} from {}{}", read_text(log, event), variable, with_order(event));
    case EventKind::store:
      return fmt::format("stores {} to {}{}", written_text(log, event), variable, with_order(event));
    case EventKind::rmw:
      return fmt::format("changes {} from {} to {} by {}{}", variable, read_text(log, event), written_text(log, event),
                         short_operation(event), with_order(event));
    case EventKind::failed_exchange:
      return fmt::format("finds {} in {}: compare_exchange fails{}{}", read_text(log, event), variable,
                         event.failed_spuriously ? " for no reason" : "", with_order(event));
    case EventKind::fence: return fmt::format("executes a fence{}", with_order(event));
    case EventKind::lock: return fmt::format("passes a {} on {}", event.operation, object_text(log, event));
    case EventKind::unlock: return fmt::format("makes a {} on {}", event.operation, object_text(log, event));
    case EventKind::create: return "creates a thread";
    case EventKind::start: return "starts";
    case EventKind::join: return "joins a thread";
    case EventKind::finish: return "ends";
    case EventKind::other: return "makes a " + event.operation;
    case EventKind::plain_read:
      return event.read ? fmt::format("reads {} from {}", read_text(log, event), variable) : "reads " + variable;
    case EventKind::plain_write:
      return event.written ? fmt::format("writes {} to {}", written_text(log, event), variable) : "writes " + variable;
    case EventKind::allocation: return fmt::format("allocates {} ({} bytes)", variable, event.size);
    case EventKind::free: return fmt::format("frees {}", variable);
  }
  return "";
}

std::string noun_text(const ExecutionLog& log, EventNumber number) {
  const Event& event = log.events[number];
  std::string text = "the " + operation_noun(event);
  const std::string variable = variable_text(log, event);
  const bool writes = event.kind == EventKind::store || event.kind == EventKind::plain_write;
  if (!variable.empty())
    text += fmt::format(" {} {}", writes ? "to" : event.kind == EventKind::rmw ? "on" : "of", variable);
  const std::string place = short_place(log, place_of(event));
  return place.empty() ? text : fmt::format("{} at {}", text, place);
}

findings::StoryStep make_step(const ExecutionLog& log, EventNumber number) {
  const Event& event = log.events[number];
  findings::StoryStep step;
  if (event.thread) step.thread = log.threads[*event.thread].label;
  step.text = action_text(log, number);
  step.operation = operation_noun(event);
  if (event.location) {
    step.variable = log.locations[*event.location].name;
    step.type = log.locations[*event.location].type;
  }
  step.order = order_text(event);
  if (event.written)
    step.value = value_text(log, *event.written, event.size);
  else if (event.read)
    step.value = value_text(log, *event.read, event.size);
  step.place = place_of(event);
  step.event = number;
  step.is_stale = event.is_stale();
  return step;
}

}  // namespace heddle::story
