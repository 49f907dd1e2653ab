#include "exploration/accesses.hpp"

#include <algorithm>

namespace heddle::exploration {

Accesses::Clock Accesses::clock_of(const Step& step, base::Arena& arena) const {
  const std::uint32_t causes[] = {step.po_previous, step.synchronised, step.twin,
                                  reads(step.kind) ? step.reads_from : initial};
  std::size_t size = number(step.name.thread) + std::size_t{1};
  for (const std::uint32_t cause : causes)
    if (cause != initial) size = std::max(size, clocks_[cause].size());
  const Clock clock = arena.create_array<std::uint32_t>(size);
  for (const std::uint32_t cause : causes) {
    if (cause == initial) continue;
    const Clock other = clocks_[cause];
    for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
  }
  clock[number(step.name.thread)] = step.name.index;
  return clock;
}

void Accesses::add(Steps steps, base::Arena& arena) {
  const Step& step = steps.back();
  const auto position = static_cast<std::uint32_t>(steps.size() - 1);
  clocks_.push_back(arena, clock_of(step, arena));
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

}  // namespace heddle::exploration
