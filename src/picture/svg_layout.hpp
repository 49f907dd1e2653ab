// Where the boxes and arrows of an SVG are, in pixels.
//
// Each event has a row of its own. So an arrow leaves its box to the side, runs down or up in the space between two
// lanes, and then along the row of its target, where no other box is. Arrows that run in the same space have tracks of
// their own. page/layout.js does this for pages, where what is shown changes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "picture/edges.hpp"
#include "picture/picture.hpp"

namespace heddle::picture {

/// With more than three lanes, boxes are narrower.
constexpr std::size_t most_label_characters(std::size_t lanes) { return lanes > 3 ? 24 : 32; }
inline constexpr double box_height = 38;

/// An arrow: from its box, along a track, to its box.
struct Route {
  Edge edge;
  double x1, y1, track, x2, y2;
};

struct SvgLayout {
  std::vector<std::size_t> lanes;           ///< that have shown events
  std::map<std::size_t, double> x;          ///< the middle of a lane
  std::map<std::size_t, double> box_width;  ///< as wide as the longest text of the lane needs
  std::map<EventIndex, double> y;           ///< the middle of an event's box
  std::map<double, std::size_t> gaps;       ///< hidden events, by the middle of their row
  std::vector<Route> routes;
  double width = 0;
  double bottom = 0;
};

/// The second line of a box: "relaxed · line 15".
std::string detail_of(const Event& event);

/// `top` is where the first row begins.
SvgLayout lay_out(const Picture& picture, const std::vector<bool>& shown, const std::vector<Edge>& edges, double top);

}  // namespace heddle::picture
