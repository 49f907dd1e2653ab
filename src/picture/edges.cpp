#include "picture/edges.hpp"

#include <algorithm>
#include <optional>

namespace heddle::picture {

namespace {

class EdgeFinder {
 public:
  EdgeFinder(const Picture& picture, const std::vector<bool>& shown) : picture_(picture), shown_(shown) {}

  std::vector<Edge> find() {
    add_modification_orders();
    for (EventIndex i = 0; i < picture_.events.size(); ++i) {
      if (!shown_[i]) continue;
      add_reads(i);
      for (const EventIndex release : picture_.events[i].synchronises_with) add(Relation::sw, release, i);
    }
    add_happens_before();
    if (picture_.unordered) add(Relation::unordered, picture_.unordered->first, picture_.unordered->second);
    return std::move(edges_);
  }

 private:
  void add(Relation relation, EventIndex from, EventIndex to) {
    if (shown_[from] && shown_[to]) edges_.push_back({relation, from, to});
  }

  void add_modification_orders() {
    for (const Location& location : picture_.locations) {
      std::optional<EventIndex> previous;
      for (const EventIndex write : location.modification) {
        if (!shown_[write]) continue;
        if (previous) add(Relation::mo, *previous, write);
        previous = write;
      }
    }
  }

  void add_reads(EventIndex read) {
    const Event& event = picture_.events[read];
    if (!event.reads_from) return;
    add(Relation::rf, *event.reads_from, read);
    if (!event.missed.empty()) add(Relation::missed, read, event.missed.back());
    if (!event.location) return;
    const auto& order = picture_.locations[*event.location].modification;
    auto next = std::find(order.begin(), order.end(), *event.reads_from);
    if (next == order.end()) return;
    // A read-modify-write does not read before itself.
    do ++next;
    while (next != order.end() && (!shown_[*next] || *next == read));
    if (next != order.end()) add(Relation::fr, read, *next);
  }

  void add_happens_before() {
    std::vector<std::vector<EventIndex>> lanes(picture_.lanes.size());
    for (EventIndex i = 0; i < picture_.events.size(); ++i) {
      const std::size_t lane = picture_.events[i].lane;
      if (!shown_[i] || picture_.lanes[lane].kind != Lane::Kind::thread) continue;
      const std::optional<EventIndex> previous = lanes[lane].empty() ? std::nullopt : std::optional(lanes[lane].back());
      for (const EventIndex before : newest_before(i, previous, lanes)) add(Relation::hb, before, i);
      if (previous) add(Relation::hb, *previous, i);
      lanes[lane].push_back(i);
    }
  }

  /// In each other lane the newest event that happens before `event`, unless that follows from another arrow.
  /// `previous` is the event before it in its lane.
  std::vector<EventIndex> newest_before(EventIndex event, std::optional<EventIndex> previous,
                                        const std::vector<std::vector<EventIndex>>& lanes) const {
    std::vector<EventIndex> newest;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (lane == picture_.events[event].lane || picture_.lanes[lane].kind != Lane::Kind::thread) continue;
      const auto end = std::partition_point(lanes[lane].begin(), lanes[lane].end(),
                                            [&](EventIndex other) { return picture_.happens_before(other, event); });
      if (end == lanes[lane].begin()) continue;
      const EventIndex candidate = *(end - 1);
      if (!previous || !picture_.happens_before(candidate, *previous)) newest.push_back(candidate);
    }
    std::vector<EventIndex> needed;
    for (const EventIndex candidate : newest) {
      const bool follows = std::any_of(newest.begin(), newest.end(), [&](EventIndex other) {
        return other != candidate && picture_.happens_before(candidate, other);
      });
      if (!follows) needed.push_back(candidate);
    }
    return needed;
  }

  const Picture& picture_;
  const std::vector<bool>& shown_;
  std::vector<Edge> edges_;
};

}  // namespace

const char* name_of(Relation relation) {
  constexpr const char* names[] = {"rf", "mo", "fr", "sw", "hb", "missed", "unordered"};
  return names[static_cast<std::size_t>(relation)];
}

const char* meaning_of(Relation relation) {
  constexpr const char* meanings[] = {"reads from",          "modification order", "from-reads",
                                      "synchronises with",   "happens before",     "missed this write",
                                      "nothing orders these"};
  return meanings[static_cast<std::size_t>(relation)];
}

std::vector<Edge> edges_between(const Picture& picture, const std::vector<bool>& shown) {
  return EdgeFinder(picture, shown).find();
}

}  // namespace heddle::picture
