#include "strategies/cycle_occurrence.hpp"

namespace heddle::strategies {

namespace {

using graph::Event;
using graph::EventId;

// With more accesses of the first label than this, only the first ones begin a cycle. The work is the product of this
// number and of the number of accesses.
constexpr std::size_t most_starts = 1024;

class OccurrenceSearch {
 public:
  OccurrenceSearch(const graph::ExecutionGraph& graph, const Cycle& cycle, std::span<const LabelledEvent> accesses,
                   base::Arena& arena)
      : graph_(graph), cycle_(cycle), arena_(arena), threads_(arena.create_array<Earliest>(graph.threads().size())),
        locations_(arena.create_array<OldestKnown>(graph.locations().size())) {
    for (const LabelledEvent& access : accesses)
      for (std::uint32_t i = 0; i < cycle.size; ++i) {
        if (access.label == cycle.pairs[i].first) firsts_[i].push_back(arena, access.event);
        if (access.label == cycle.pairs[i].second) seconds_[i].push_back(arena, access.event);
      }
  }

  bool find(std::span<EventId> found) {
    for (std::size_t i = 0; i < firsts_[0].size() && i < most_starts; ++i)
      if (closes(firsts_[0][i])) {
        trace_back(firsts_[0][i], found);
        return true;
      }
    return false;
  }

 private:
  struct Earliest {
    std::uint64_t round = 0;
    std::uint32_t index = 0;
  };
  struct OldestKnown {
    std::uint64_t round = 0;
    std::uint32_t of_any = 0;     ///< position in modification order that an access made or read
    std::uint32_t of_writes = 0;  ///< that a write made
  };
  static constexpr std::uint32_t none = 0xffffffffU;

  std::uint32_t position(const Event& event) const { return graph_.mo_position_of(event); }

  bool is_pair(const Event& first, const Event& second, const CyclePair& pair) const {
    return pair.is_single != 0 ? &first == &second : first.thread == second.thread && first.index < second.index;
  }
  bool precedes(const Event& a, const Event& b) const {
    if (a.location != b.location) return false;
    return writes(b.kind) ? position(a) < position(b) : writes(a.kind) && position(a) <= position(b);
  }

  /// Follows the cycle from `start`, with all accesses that can be reached, until it is back.
  bool closes(EventId start) {
    reached_firsts_[0].clear();
    reached_firsts_[0].push_back(arena_, start);
    for (std::uint32_t i = 0; i < cycle_.size; ++i) {
      follow_program_order(i);
      if (reached_seconds_[i].empty()) return false;
      find_oldest_positions(i);
      if (i + 1 == cycle_.size) break;
      reached_firsts_[i + 1].clear();
      for (const EventId id : firsts_[i + 1])
        if (is_preceded(graph_.event(id))) reached_firsts_[i + 1].push_back(arena_, id);
    }
    return is_preceded(graph_.event(start));
  }

  void follow_program_order(std::uint32_t i) {
    reached_seconds_[i].clear();
    if (cycle_.pairs[i].is_single != 0) {
      for (const EventId id : reached_firsts_[i]) reached_seconds_[i].push_back(arena_, id);
      return;
    }
    ++round_;
    for (const EventId id : reached_firsts_[i]) {
      const Event& event = graph_.event(id);
      Earliest& earliest = threads_[number(event.thread)];
      if (earliest.round != round_ || event.index < earliest.index) earliest = {round_, event.index};
    }
    for (const EventId id : seconds_[i]) {
      const Event& event = graph_.event(id);
      const Earliest& earliest = threads_[number(event.thread)];
      if (earliest.round == round_ && earliest.index < event.index) reached_seconds_[i].push_back(arena_, id);
    }
  }

  void find_oldest_positions(std::uint32_t i) {
    ++round_;
    for (const EventId id : reached_seconds_[i]) {
      const Event& event = graph_.event(id);
      OldestKnown& known = locations_[number(event.location)];
      if (known.round != round_) known = {round_, none, none};
      const std::uint32_t at = position(event);
      if (at < known.of_any) known.of_any = at;
      if (writes(event.kind) && at < known.of_writes) known.of_writes = at;
    }
  }

  /// Whether an access of find_oldest_positions() precedes the event in the order of its location.
  bool is_preceded(const Event& event) const {
    const OldestKnown& known = locations_[number(event.location)];
    if (known.round != round_) return false;
    return writes(event.kind) ? known.of_any < position(event)
                              : known.of_writes != none && known.of_writes <= position(event);
  }

  /// The accesses on the way that closes() found.
  void trace_back(EventId start, std::span<EventId> found) const {
    EventId next = start;
    for (std::uint32_t i = cycle_.size; i-- > 0;) {
      EventId& second = found[2 * i + 1];
      EventId& first = found[2 * i];
      for (const EventId id : reached_seconds_[i])
        if (precedes(graph_.event(id), graph_.event(next))) second = id;
      for (const EventId id : reached_firsts_[i])
        if (is_pair(graph_.event(id), graph_.event(second), cycle_.pairs[i])) first = id;
      next = first;
    }
  }

  const graph::ExecutionGraph& graph_;
  const Cycle& cycle_;
  base::Arena& arena_;
  std::span<Earliest> threads_;
  std::span<OldestKnown> locations_;
  std::uint64_t round_ = 0;
  base::ArenaVector<EventId> firsts_[Cycle::most_pairs];
  base::ArenaVector<EventId> seconds_[Cycle::most_pairs];
  base::ArenaVector<EventId> reached_firsts_[Cycle::most_pairs];
  base::ArenaVector<EventId> reached_seconds_[Cycle::most_pairs];
};

}  // namespace

bool find_occurrence(const graph::ExecutionGraph& graph, const Cycle& cycle, std::span<const LabelledEvent> accesses,
                     base::Arena& scratch, std::span<EventId> found) {
  const std::size_t used = scratch.used();
  const bool is_there = OccurrenceSearch(graph, cycle, accesses, scratch).find(found);
  scratch.rewind(used);
  return is_there;
}

}  // namespace heddle::strategies
