#include "exploration/revisits.hpp"

namespace heddle::exploration {

Revisits::Revisits(Steps steps, const Step& a, std::uint32_t reads_from, base::Arena& scratch)
    : steps_(steps), in_prefix_(scratch.create_array<std::uint8_t>(steps.size())) {
  const auto mark = [this](std::uint32_t event) {
    if (event != initial) in_prefix_[event] = 1;
  };
  mark(a.po_previous);
  mark(a.twin);
  mark(reads_from);
  // The execution order contains po and rf, so one pass backwards closes the set.
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (in_prefix_[i] == 0) continue;
    mark(steps[i].po_previous);
    mark(steps[i].synchronised);
    mark(steps[i].twin);
    if (reads(steps[i].kind)) mark(steps[i].reads_from);
  }
}

bool Revisits::allowed(std::uint32_t reader) const {
  if (is_in_prefix(reader) || !is_maximally_added(reader)) return false;
  for (std::uint32_t event = 0; event < steps_.size(); ++event)
    if (event != reader && !stays(event, reader) && !is_maximally_added(event)) return false;
  return true;
}

/// IsMaximallyAdded of the paper. Previous is the set of events that were added up to the event or are porf-before a.
/// The event is maximally added if the search would add it to Previous as its first choice: no event of Previous reads
/// from it, and it makes or reads the newest write of Previous. The write that it reads must be in Previous itself: a
/// read that was revisited is not maximal.
bool Revisits::is_maximally_added(std::uint32_t event) const {
  const Step& e = steps_[event];
  // Of the options of a detail, the first counts as maximal.
  if (e.detail != 0) return false;
  if (!accesses_memory(e.kind)) return true;
  const auto is_previous = [&](std::uint32_t other) {
    return steps_[other].added <= e.added || in_prefix_[other] != 0;
  };
  if (reads(e.kind) && e.reads_from != initial && !is_previous(e.reads_from)) return false;
  for (std::uint32_t other = 0; other < steps_.size(); ++other) {
    const Step& o = steps_[other];
    if (o.location != e.location || other == event || !is_previous(other)) continue;
    if (writes(o.kind) && o.mo_position > e.mo_position) return false;
    if (reads(o.kind) && writes(e.kind) && o.reads_from == event) return false;
  }
  return true;
}

}  // namespace heddle::exploration
