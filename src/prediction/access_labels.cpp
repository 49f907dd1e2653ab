#include "prediction/access_labels.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "findings/stack_ends.hpp"

namespace heddle::prediction {

namespace {

using channel::TracedStep;

AccessKind kind_of(TracedStep::Kind kind) {
  if (kind == TracedStep::Kind::load) return AccessKind::load;
  return kind == TracedStep::Kind::store ? AccessKind::store : AccessKind::rmw;
}

Step::Kind step_kind(TracedStep::Kind kind) {
  switch (kind) {
    case TracedStep::Kind::load:
    case TracedStep::Kind::failed_exchange: return Step::Kind::load;
    case TracedStep::Kind::store: return Step::Kind::store;
    case TracedStep::Kind::rmw: return Step::Kind::rmw;
    case TracedStep::Kind::lock: return Step::Kind::lock;
    case TracedStep::Kind::shared_lock: return Step::Kind::shared_lock;
    case TracedStep::Kind::unlock: return Step::Kind::unlock;
    case TracedStep::Kind::release: return Step::Kind::release;
    case TracedStep::Kind::order: return Step::Kind::order;
  }
  return Step::Kind::load;
}

}  // namespace

std::string Label::place() const {
  const std::string name = std::filesystem::path(file).filename().string();
  return line == 0 ? name : name + ":" + std::to_string(line);
}

/// The innermost line of the program: functions of the C++ library that wrap an access belong to their callers.
LabelBook::Place LabelBook::find_place(const TracedStep& step) {
  findings::Finding finding;
  finding.modules = modules_;
  for (std::uint32_t depth = 1; depth <= TracedStep::depth; ++depth) {
    finding.stack.pcs.push_back(step.pcs[depth - 1]);
    symbolizer_.symbolize(finding);
    for (const findings::Frame& frame : finding.stack.frames)
      if (!findings::is_library_frame(frame) && !frame.file.empty() && frame.line != 0)
        return {frame.file, frame.line, frame.column, frame.function, depth};
  }
  finding.stack.pcs.resize(1);
  symbolizer_.symbolize(finding);
  Place place;
  if (finding.stack.frames.empty()) return place;
  const findings::Frame& frame = finding.stack.frames[0];
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(frame.offset));
  place.file = frame.module + offset;
  place.function = frame.function;
  return place;
}

std::uint32_t LabelBook::label_of(const TracedStep& step) {
  const AccessKind kind = kind_of(step.kind);
  const auto [known, is_new] = known_.try_emplace({step.pcs[0], step.pcs[1], step.pcs[2], kind}, 0);
  if (is_new) {
    const Place place = find_place(step);
    const auto [number, is_new_place] =
        numbers_.try_emplace({place.file, place.line, place.column, kind}, static_cast<std::uint32_t>(labels_.size()));
    if (is_new_place)
      labels_.push_back({kind, step.order, place.file, place.line, place.column, place.function, {}, false, false, {}});
    Label& label = labels_[number->second];
    const std::uint64_t site = step.names[place.depth - 1];
    if (std::find(label.sites.begin(), label.sites.end(), site) == label.sites.end()) label.sites.push_back(site);
    known->second = number->second;
  }
  if (variables_seen_.try_emplace({known->second, step.address}).second)
    remember_variable(labels_[known->second], step.address);
  return known->second;
}

void LabelBook::remember_variable(Label& label, std::uint64_t address) {
  static const std::string several = " ";
  findings::Finding finding;
  finding.modules = modules_;
  finding.object.emplace().address.value = address;
  symbolizer_.symbolize(finding);
  const std::string& symbol = finding.object->address.symbol;
  const bool is_first = label.variable.empty();
  if (is_first)
    label.variable = symbol.empty() ? several : symbol;
  else if (label.variable != symbol)
    label.variable = several;
}

DecodedTraces decode_traces(std::span<const std::byte> bytes, LabelBook& labels) {
  DecodedTraces decoded;
  while (bytes.size() >= sizeof(channel::AccessTrace)) {
    channel::AccessTrace head;
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes = bytes.subspan(sizeof head);
    const std::size_t steps = std::min<std::size_t>(head.steps, bytes.size() / sizeof(TracedStep));
    Trace& trace = decoded.traces.emplace_back();
    trace.reserve(steps);
    std::set<std::uint32_t> threads;
    for (std::size_t i = 0; i < steps; ++i) {
      TracedStep step;
      std::memcpy(&step, bytes.data() + i * sizeof step, sizeof step);
      if (step.kind > TracedStep::Kind::last) break;
      const Step::Kind kind = step_kind(step.kind);
      const bool is_access = kind <= Step::Kind::rmw;
      trace.push_back({kind, step.thread, is_access ? labels.label_of(step) : 0, step.object});
      if (!is_access) continue;
      threads.insert(step.thread);
      ++decoded.accesses;
    }
    decoded.threads = std::max(decoded.threads, threads.size());
    decoded.left_out += head.left_out;
    bytes = bytes.subspan(steps * sizeof(TracedStep));
  }
  return decoded;
}

}  // namespace heddle::prediction
