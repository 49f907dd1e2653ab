#include "picture/svg_layout.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "picture/box_texts.hpp"

namespace heddle::picture {

namespace {

// A character of the monospace font at 12 pixels is 7.3 wide.
constexpr double character = 7.3, row_height = 50, gap_height = 26, margin = 14, padding = 44;
// Between two arrows, and between a box and the first arrow.
constexpr double track_distance = 11, track_margin = 30;
constexpr double smallest_width = 340;

/// Arrows of different relations end at different heights of a box.
double port_of(Relation relation) {
  constexpr double ports[] = {-8, -14, 14, 8, 2, 5, -3};
  return ports[static_cast<std::size_t>(relation)];
}

/// An edge with its place between lanes: `space` is the lane at its left, by its position in SvgLayout::lanes.
struct PlacedEdge {
  Edge edge;
  int side;  ///< 1: to the right, -1: to the left, 0: within a lane
  std::size_t space;
  double y1, y2;
  std::size_t track = 0;

  double top() const { return std::min(y1, y2); }
  double bottom() const { return std::max(y1, y2); }
};

class LayoutMaker {
 public:
  LayoutMaker(const Picture& picture, const std::vector<bool>& shown) : picture_(picture), shown_(shown) {}

  SvgLayout make(const std::vector<Edge>& edges, double top) {
    place_rows(top);
    for (std::size_t lane = 0; lane < picture_.lanes.size(); ++lane)
      if (std::any_of(out_.y.begin(), out_.y.end(),
                      [&](const auto& entry) { return picture_.events[entry.first].lane == lane; }))
        out_.lanes.push_back(lane);
    for (const Edge& edge : edges) placed_.push_back(place(edge));
    for (std::size_t space = 0; space < out_.lanes.size(); ++space) assign_tracks(space);
    place_lanes();
    for (const PlacedEdge& edge : placed_) out_.routes.push_back(route(edge));
    return std::move(out_);
  }

 private:
  /// Hidden events between shown ones are a narrow row. Hidden initial values are left out.
  void place_rows(double y) {
    std::size_t hidden = 0;
    const auto close_gap = [&] {
      if (hidden != 0) {
        out_.gaps[y + gap_height / 2] = hidden;
        y += gap_height;
      }
      hidden = 0;
    };
    for (EventIndex i = 0; i < shown_.size(); ++i) {
      if (!shown_[i]) {
        hidden += picture_.lanes[picture_.events[i].lane].kind == Lane::Kind::initial_values ? 0 : 1;
        continue;
      }
      close_gap();
      out_.y[i] = y + row_height / 2;
      y += row_height;
    }
    close_gap();
    out_.bottom = y;
  }

  std::size_t position_of(EventIndex event) const {
    const auto found = std::find(out_.lanes.begin(), out_.lanes.end(), picture_.events[event].lane);
    return static_cast<std::size_t>(found - out_.lanes.begin());
  }

  PlacedEdge place(const Edge& edge) const {
    const std::size_t from = position_of(edge.from), to = position_of(edge.to);
    const int side = from == to ? 0 : from < to ? 1 : -1;
    const double port = port_of(edge.relation);
    return {edge, side, side < 0 ? from - 1 : from, out_.y.at(edge.from) + port, out_.y.at(edge.to) + port};
  }

  /// From top to bottom, each arrow takes the first track that is free.
  void assign_tracks(std::size_t space) {
    std::vector<PlacedEdge*> edges;
    for (PlacedEdge& edge : placed_)
      if (edge.space == space) edges.push_back(&edge);
    std::stable_sort(edges.begin(), edges.end(), [](const PlacedEdge* a, const PlacedEdge* b) {
      return a->top() != b->top() ? a->top() < b->top() : a->bottom() < b->bottom();
    });
    std::vector<double> ends;
    for (PlacedEdge* edge : edges) {
      const auto free = std::find_if(ends.begin(), ends.end(), [&](double end) { return end + 4 < edge->top(); });
      edge->track = static_cast<std::size_t>(free - ends.begin());
      if (free == ends.end()) ends.push_back(0);
      ends[edge->track] = edge->bottom();
    }
    tracks_.push_back(ends.size());
  }

  void place_lanes() {
    std::map<std::size_t, std::size_t> longest;
    for (const auto& [index, y] : out_.y) {
      const Event& event = picture_.events[index];
      std::size_t& length = longest[event.lane];
      length = std::max({length, length_of(event.label), length_of(detail_of(event)), std::size_t{10}});
    }
    double x = margin;
    for (std::size_t i = 0; i < out_.lanes.size(); ++i) {
      const std::size_t lane = out_.lanes[i];
      const double box =
          static_cast<double>(std::min(longest[lane], most_label_characters(out_.lanes.size()))) * character + padding;
      out_.box_width[lane] = box;
      out_.x[lane] = x + box / 2;
      const bool is_last = i + 1 == out_.lanes.size();
      const double tracks = static_cast<double>(std::max<std::size_t>(tracks_[i], 1) - 1);
      x += box + (is_last && tracks_[i] == 0 ? margin : 2 * track_margin + tracks * track_distance);
    }
    out_.width = std::max(x, smallest_width);
  }

  Route route(const PlacedEdge& edge) const {
    const auto border = [&](EventIndex event, double side) {
      const std::size_t lane = picture_.events[event].lane;
      return out_.x.at(lane) + side * out_.box_width.at(lane) / 2;
    };
    const std::size_t left = out_.lanes[edge.space];
    const double track =
        out_.x.at(left) + out_.box_width.at(left) / 2 + track_margin + track_distance * static_cast<double>(edge.track);
    return {edge.edge, border(edge.edge.from, edge.side == 0 ? 1 : edge.side), edge.y1,
            track,     border(edge.edge.to, edge.side == 0 ? 1 : -edge.side),  edge.y2};
  }

  const Picture& picture_;
  const std::vector<bool>& shown_;
  SvgLayout out_;
  std::vector<PlacedEdge> placed_;
  std::vector<std::size_t> tracks_;  ///< how many there are, by space
};

}  // namespace

std::string detail_of(const Event& event) {
  std::string detail = event.order;
  if (!event.short_place.empty()) detail += (detail.empty() ? "" : " · ") + event.short_place;
  if (!event.missed.empty()) detail += detail.empty() ? "stale" : " · stale";
  return detail;
}

SvgLayout lay_out(const Picture& picture, const std::vector<bool>& shown, const std::vector<Edge>& edges, double top) {
  return LayoutMaker(picture, shown).make(edges, top);
}

}  // namespace heddle::picture
