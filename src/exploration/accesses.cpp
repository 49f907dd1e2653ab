#include "exploration/accesses.hpp"

#include <algorithm>

namespace heddle::exploration {

Accesses::Clock Accesses::clock_of(Steps steps, base::Arena& arena) const {
  const Step& step = steps.back();
  const auto for_each_cause = [&](auto visit) {
    for (const std::uint32_t cause : {step.po_previous, step.twin, reads(step.kind) ? step.reads_from : initial})
      if (cause != initial) visit(clocks_[cause]);
    for (std::uint32_t at = step.synchronised; at != initial; at = steps[at].synchronised_before) visit(clocks_[at]);
  };
  std::size_t size = number(step.name.thread) + std::size_t{1};
  for_each_cause([&](Clock other) { size = std::max(size, other.size()); });
  const Clock clock = arena.create_array<std::uint32_t>(size);
  for_each_cause([&](Clock other) {
    for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
  });
  clock[number(step.name.thread)] = step.name.index;
  return clock;
}

void Accesses::add(Steps steps, base::Arena& arena) {
  const Step& step = steps.back();
  const auto position = static_cast<std::uint32_t>(steps.size() - 1);
  clocks_.push_back(arena, clock_of(steps, arena));
  previous_.push_back(arena, initial);
  if (!accesses_memory(step.kind)) return;
  while (locations_.size() <= number(step.location)) locations_.push_back(arena, {});
  auto& location = locations_[number(step.location)];
  for (LastAccess& last : location) {
    if (last.thread != step.name.thread) continue;
    previous_[position] = last.position;
    last.position = position;
    return;
  }
  location.push_back(arena, {step.name.thread, position});
}

void Accesses::cut(Steps steps, std::uint32_t count) {
  for (auto at = static_cast<std::uint32_t>(steps.size()); at-- > count;) {
    const Step& step = steps[at];
    if (!accesses_memory(step.kind)) continue;
    auto& location = locations_[number(step.location)];
    std::size_t entry = location.size() - 1;
    while (location[entry].thread != step.name.thread) --entry;
    if (previous_[at] != initial)
      location[entry].position = previous_[at];
    else
      location.pop_back();  // threads are listed in the order of their first accesses
  }
  clocks_.truncate(count);
  previous_.truncate(count);
}

}  // namespace heddle::exploration
