#include "exploration/revisits.hpp"

#include <algorithm>

namespace heddle::exploration {

Prefix::Prefix(Steps steps, const Step& a, std::uint32_t reads_from, base::Arena& scratch)
    : steps_(steps), contains_(scratch.create_array<std::uint8_t>(steps.size())) {
  const auto mark = [this](std::uint32_t event) {
    if (event != initial) contains_[event] = 1;
  };
  mark(a.po_previous);
  mark(a.twin);
  mark(reads_from);
  // The execution order contains po and rf, so one pass backwards closes the set.
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (contains_[i] == 0) continue;
    mark(steps[i].po_previous);
    for (std::uint32_t at = steps[i].synchronised; at != initial; at = steps[at].synchronised_before) mark(at);
    mark(steps[i].twin);
    if (reads(steps[i].kind)) mark(steps[i].reads_from);
  }
}

Revisits::Revisits(Steps steps, std::size_t locations, const Prefix& prefix, std::uint32_t oldest_reader,
                   base::Arena& scratch)
    : steps_(steps), prefix_(prefix) {
  make_room(locations, scratch);
  for (std::uint32_t event = 0; event < steps_.size(); ++event) index_places(event);
  for (std::size_t i = 0; i < locations; ++i)
    for (std::uint32_t at = first_position_[i + 1]; at-- > first_position_[i] + 1;)
      newer_write_[at - 1] = std::min(newer_write_[at - 1], newer_write_[at]);
  for (std::uint32_t event = 0; event < steps_.size(); ++event) {
    const std::uint32_t added = steps_[event].added;
    if (added <= steps_[oldest_reader].added || added < newest_unmaximal_ || prefix_.contains(event)) continue;
    if (!is_maximally_added(event)) newest_unmaximal_ = added + 1;
  }
}

void Revisits::make_room(std::size_t locations, base::Arena& scratch) {
  first_position_ = scratch.create_array<std::uint32_t>(locations + 1);
  for (const Step& step : steps_) {
    if (!accesses_memory(step.kind)) continue;
    std::uint32_t& length = first_position_[number(step.location) + 1];
    length = std::max(length, step.mo_position + 1);
  }
  for (std::size_t i = 0; i < locations; ++i) first_position_[i + 1] += first_position_[i];
  newer_write_ = scratch.create_array<Place>(first_position_[locations]);
  for (Place& place : newer_write_) place = nowhere;
  first_reader_ = scratch.create_array<Place>(steps_.size());
  for (Place& place : first_reader_) place = nowhere;
}

void Revisits::index_places(std::uint32_t event) {
  const Step& step = steps_[event];
  const auto note = [place = place_of(event)](Place& first) { first = std::min(first, place); };
  // At the position before the write, since the write is newer than that.
  if (writes(step.kind) && step.mo_position != 0)
    note(newer_write_[first_position_[number(step.location)] + step.mo_position - 1]);
  if (reads(step.kind) && step.reads_from != initial) note(first_reader_[step.reads_from]);
}

/// IsMaximallyAdded of the paper. Previous is the set of events that were added up to the event or are porf-before a.
/// The event is maximally added if the search would add it to Previous as its first choice: no event of Previous reads
/// from it, and it makes or reads the newest write of Previous. The write that it reads must be in Previous itself: a
/// read that was revisited is not maximal.
bool Revisits::is_maximally_added(std::uint32_t event) const {
  const Step& e = steps_[event];
  // Of the options of a detail, the first counts as maximal.
  if (e.detail != 0 || e.overtakes) return false;
  if (!accesses_memory(e.kind)) return true;
  const Place place = e.added + 1;
  if (reads(e.kind) && e.reads_from != initial && place_of(e.reads_from) > place) return false;
  if (newer_write_[first_position_[number(e.location)] + e.mo_position] <= place) return false;
  return !writes(e.kind) || first_reader_[event] > place;
}

}  // namespace heddle::exploration
