// RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential consistency in C/C++11, PLDI 2017), with the release
// sequences of C++20. The axioms, incrementally:
//   coherence   a read may not take a write older than the newest that its thread knows, and a write goes after that
//               one; nothing in the graph happens after the newest event, so there is no upper bound;
//   atomicity   an rmw directly follows the write that it reads, and no two rmws read one write;
//   SC          psc stays acyclic (models/psc.hpp);
//   no thin air events are added in an order that contains sb and rf, so sb | rf is acyclic by construction.
#include "models/rc11.hpp"

#include "base/fast_paths.hpp"
#include "models/psc.hpp"
#include "models/synchronisation.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Location;
using graph::LocationId;

namespace {

class Rc11State final : public ModelState {
 public:
  Rc11State(ExecutionGraph& graph, ReleaseSequence release_sequence, std::size_t psc_limit)
      : ModelState(graph), release_sequence_(release_sequence), psc_limit_(psc_limit), seq_cst_(graph) {
    commits_clocks_only_ = release_sequence == ReleaseSequence::cpp20;
  }

  void readable_writes(const Event& read, base::ArenaVector<EventId>& out) override;
  std::uint32_t readable_from(const Event& read) override;
  void mo_slots(const Event& write, base::ArenaVector<std::uint32_t>& out) override;
  bool goes_last(const Event& write) override;
  void commit(EventId id) override;
  void forget(const graph::Renaming& renamed) override;
  bool adopt_graph() override;
  bool needs_old_events() const override { return has_seq_cst_events_; }

 private:
  class PscFilter;

  std::uint32_t newest_known(const Location& location, const Event& event) const {
    return graph_.newest_known(location, *graph_.thread(event.thread).clock, event.thread);
  }
  std::uint32_t leads_to_seq_cst_until(LocationId location) const;
  void add_seq_cst(EventId id, bool is_placed_back);
  void remember_newest_seq_cst_write(const Event& event, EventId id);

  ReleaseSequence release_sequence_;
  std::size_t psc_limit_;
  bool has_seq_cst_events_ = false;  ///< also if they were forgotten
  SeqCstOrder seq_cst_;
  base::ArenaVector<EventId> newest_seq_cst_write_;  ///< in modification order, by location
};

/// An event that is added last has psc edges only towards seq_cst events that it is mo- or rb-before, directly or
/// through hb to a fence. From the position behind the returned one on, no write leads to a seq_cst event: it is not
/// seq_cst, does not happen before a seq_cst fence, and no event that does reads it.
std::uint32_t Rc11State::leads_to_seq_cst_until(LocationId id) const {
  std::uint32_t position = graph_.newest_known(graph_.location(id), seq_cst_.before_fences());
  if (number(id) < newest_seq_cst_write_.size() && newest_seq_cst_write_[number(id)] != graph::no_event) {
    const std::uint32_t write = graph_.event(newest_seq_cst_write_[number(id)]).mo_position;
    if (write > position) position = write;
  }
  return position;
}

/// Decides whether a draft may be added before the writes from position `next` on, as far as psc is concerned. The
/// caller asks from the oldest position to the newest. Normally it asks only where the search could refuse. A build
/// without fast paths asks everywhere, but beyond the limits of the search the answer must be the same.
class Rc11State::PscFilter {
 public:
  explicit PscFilter(Rc11State& state) : state_(state), graph_(state.graph_) {}

  static bool asks_for(bool is_needed) { return is_needed || !base::fast_paths; }
  bool allows(Event draft, std::uint32_t next, bool is_needed) {
    if (graph_.has_forgotten()) return !is_needed;  // the search looks at events of any age
    if (state_.seq_cst_.events().size() > state_.psc_limit_) return !is_needed;
    draft.clock = reads(draft.kind) ? clock_when_reading(graph_, draft, graph_.event(draft.reads_from))
                                    : graph_.thread(draft.thread).clock;
    // At a newer position the draft has fewer edges out. Its edges in are the same, unless it is a seq_cst write or a
    // read that learns more than the one at the older position.
    const bool is_seq_cst_write = is_seq_cst_event(draft) && writes(draft.kind);
    if (base::fast_paths && draft.clock == allowed_clock_ && !is_seq_cst_write) return true;
    if (state_.seq_cst_.closes_cycle(draft, next)) return false;
    allowed_clock_ = draft.clock;
    return true;
  }

 private:
  Rc11State& state_;
  ExecutionGraph& graph_;
  const base::VectorClock* allowed_clock_ = nullptr;  ///< an older position was allowed with this clock
};

void Rc11State::readable_writes(const Event& read, base::ArenaVector<EventId>& out) {
  const Location& location = graph_.location(read.location);
  const auto& order = location.modification_order;
  const std::uint32_t oldest = newest_known(location, read);
  const std::uint32_t newest = static_cast<std::uint32_t>(order.size()) - 1;
  const std::uint32_t unchecked_from =
      oldest == newest || !has_seq_cst_events_ ? 0 : leads_to_seq_cst_until(read.location);
  PscFilter psc(*this);
  for (std::uint32_t position = oldest; position <= newest; ++position) {
    const EventId write = order[position];
    if (read.kind == EventKind::rmw && graph_.event(write).overwritten_by != graph::no_event) continue;
    const bool is_needed = position < unchecked_from && position != newest;
    if (PscFilter::asks_for(is_needed)) {
      Event draft = read;
      draft.reads_from = write;
      if (!psc.allows(draft, position + 1, is_needed)) continue;
    }
    out.push_back(graph_.arena(), write);
  }
}

std::uint32_t Rc11State::readable_from(const Event& read) {
  const Location& location = graph_.location(read.location);
  const std::uint32_t oldest = newest_known(location, read);
  if (oldest + 1 == location.modification_order.size() || !has_seq_cst_events_) return oldest;
  return oldest < leads_to_seq_cst_until(read.location) ? unknown : oldest;
}

bool Rc11State::goes_last(const Event& write) {
  const Location& location = graph_.location(write.location);
  return newest_known(location, write) + 1 == location.modification_order.size();
}

void Rc11State::mo_slots(const Event& write, base::ArenaVector<std::uint32_t>& out) {
  const Location& location = graph_.location(write.location);
  const auto& order = location.modification_order;
  const std::uint32_t first = newest_known(location, write) + 1;
  const std::uint32_t newest = static_cast<std::uint32_t>(order.size());
  const std::uint32_t unchecked_from =
      first == newest || !has_seq_cst_events_ ? 0 : leads_to_seq_cst_until(write.location) + 1;
  PscFilter psc(*this);
  for (std::uint32_t position = first; position <= newest; ++position) {
    if (graph_.event(order[position - 1]).overwritten_by != graph::no_event) continue;
    const bool is_needed = position < unchecked_from && position != newest;
    if (PscFilter::asks_for(is_needed) && !psc.allows(write, position, is_needed)) continue;
    out.push_back(graph_.arena(), position);
  }
}

void Rc11State::commit(EventId id) {
  synchronise(graph_, id, release_sequence_);
  const Event& event = graph_.event(id);
  if (!has_seq_cst_events_ && !is_seq_cst_event(event)) return;
  add_seq_cst(id, SeqCstOrder::is_placed_back(graph_, event));
}

void Rc11State::add_seq_cst(EventId id, bool is_placed_back) {
  const Event& event = graph_.event(id);
  if (is_seq_cst_event(event)) {
    has_seq_cst_events_ = true;
    commits_clocks_only_ = false;
    remember_newest_seq_cst_write(event, id);
  }
  if (has_seq_cst_events_) seq_cst_.add(id, is_placed_back);
}

bool Rc11State::adopt_graph() {
  const auto count = static_cast<std::uint32_t>(graph_.events().size());
  for (std::uint32_t i = 0; i < count; ++i) add_seq_cst(EventId{i}, !graph_.history_of(EventId{i}).was_newest);
  return true;
}

void Rc11State::remember_newest_seq_cst_write(const Event& event, EventId id) {
  if (!writes(event.kind)) return;
  while (newest_seq_cst_write_.size() <= number(event.location))
    newest_seq_cst_write_.push_back(graph_.arena(), graph::no_event);
  EventId& newest = newest_seq_cst_write_[number(event.location)];
  if (newest == graph::no_event || graph_.event(newest).mo_position < event.mo_position) newest = id;
}

void Rc11State::forget(const graph::Renaming& renamed) {
  seq_cst_.forget(graph_.arena());
  base::ArenaVector<EventId> moved;
  for (const EventId write : newest_seq_cst_write_) moved.push_back(graph_.arena(), renamed(write));
  newest_seq_cst_write_ = moved;
}

}  // namespace

constinit const ModelDescriptor rc11_model = {
    .name = "rc11",
    .title = "rc11",
    .make = [](const ModelOptions& options, base::Arena& arena) -> const MemoryModel* {
      return arena.create<Rc11>(options.release_sequence, *arena.create<Rc11>(options.release_sequence));
    },
    .is_of_language = true,
    .has_release_sequences = true,
};

ModelState& Rc11::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<Rc11State>(graph, release_sequence_, exact_ != nullptr ? exact_psc_limit : ~std::size_t{0});
}

}  // namespace heddle::models
