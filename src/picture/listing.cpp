#include <fmt/format.h>

#include "picture/drawing.hpp"

namespace heddle::picture {

namespace {

/// "T0.1#3": the third event of the lane. Initial values have no number.
std::string name_of(const Picture& picture, EventIndex index) {
  const Event& event = picture.events[index];
  const Lane& lane = picture.lanes[event.lane];
  if (lane.kind == Lane::Kind::initial_values) return "the initial value";
  std::size_t number = 1;
  for (EventIndex other = 0; other < index; ++other) number += picture.events[other].lane == event.lane ? 1 : 0;
  return fmt::format("{}#{}", lane.label, number);
}

}  // namespace

std::string listing(const Picture& picture, const std::string& title) {
  std::string text = title + "\n";
  for (std::size_t lane = 0; lane < picture.lanes.size(); ++lane) {
    if (picture.lanes[lane].kind == Lane::Kind::initial_values) continue;
    for (EventIndex i = 0; i < picture.events.size(); ++i) {
      const Event& event = picture.events[i];
      if (event.lane != lane) continue;
      text += fmt::format("  {} {}", name_of(picture, i), event.label);
      if (!event.order.empty()) text += fmt::format(" ({})", event.order);
      if (event.reads_from) text += fmt::format(", reads {}", name_of(picture, *event.reads_from));
      if (!event.short_place.empty()) text += fmt::format(", {}", event.short_place);
      text += '\n';
    }
  }
  for (const Location& location : picture.locations) {
    std::string writes;
    for (const EventIndex write : location.modification)
      writes += fmt::format("{}{}", writes.empty() ? "" : ", ", name_of(picture, write));
    if (location.modification.size() > 1)
      text += fmt::format("  modification order of {}: {}\n", location.name, writes);
  }
  return text;
}

}  // namespace heddle::picture
