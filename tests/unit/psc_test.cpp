// Random graphs grow event by event, half of the events seq_cst. At every read and every store rc11 must offer exactly
// the choices after which the graph satisfies the axioms, which check() transcribes without any of the shortcuts of
// models/psc.cpp. Plain stores enter the graph late, as they do when an atomic access finds them in memory.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "base/reachability.hpp"
#include "models/memory_model.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::LocationId;
using graph::MemoryOrder;
using graph::ThreadId;

namespace {

constexpr std::uint32_t thread_count = 3;
constexpr std::uint32_t location_count = 3;
constexpr std::size_t arena_size = std::size_t{1} << 20;

struct Placed {
  Event event;
  std::uint32_t position;
};

/// A graph that can be had again, with one more event.
class Growing {
 public:
  explicit Growing(const MemoryModel& model)
      : model_(model), memory_(std::make_unique_for_overwrite<std::byte[]>(arena_size)),
        arena_({memory_.get(), arena_size}) {
    for (std::uint32_t t = 0; t < thread_count; ++t) graph.add_thread(ThreadId{t}, 100 + t);
    for (std::uint32_t l = 0; l < location_count; ++l) graph.add_location(200 + l, 4, 0);
  }
  void add(const Placed& placed) {
    state.commit(graph.append(placed.event, placed.position));
    script_.push_back(placed);
  }
  bool is_consistent_with(const Placed& placed) const {
    Growing other(model_);
    for (const Placed& earlier : script_) other.add(earlier);
    other.add(placed);
    Growing scratch(model_);
    return !model_.check(other.graph, scratch.arena_);
  }

 private:
  const MemoryModel& model_;
  std::unique_ptr<std::byte[]> memory_;
  base::Arena arena_;
  std::vector<Placed> script_;

 public:
  ExecutionGraph graph{arena_};
  ModelState& state{model_.begin_execution(graph, arena_)};
};

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed)
      : random_(seed), model_arena_({model_memory_, sizeof model_memory_}),
        model_(*make_model("rc11", {}, model_arena_)) {}

  /// How many choices were not the newest write or place: those may need psc.
  std::size_t stale_choices() const { return stale_choices_; }
  std::size_t refused_choices() const { return refused_choices_; }

  void step() {
    const std::uint64_t kind = random_.below(12);
    if (kind < 4)
      read(draft(EventKind::load));
    else if (kind < 7)
      write(draft(EventKind::store));
    else if (kind == 7)
      read(draft(EventKind::rmw));
    else if (kind < 11)
      growing_.add({draft(EventKind::fence), 0});
    else
      store_plainly(draft(EventKind::store));
  }
  bool is_racy_beyond_the_axioms() const { return is_racy_beyond_the_axioms_; }

 private:
  MemoryOrder any_order() {
    constexpr MemoryOrder orders[] = {MemoryOrder::relaxed, MemoryOrder::acq_rel};
    return random_.one_in(2) ? MemoryOrder::seq_cst : orders[random_.below(2)];
  }
  Event draft(EventKind kind) {
    Event event;
    event.kind = kind;
    event.order = any_order();
    event.thread = ThreadId{static_cast<std::uint32_t>(random_.below(thread_count))};
    if (kind == EventKind::fence) return event;
    event.size = 4;
    event.location = LocationId{static_cast<std::uint32_t>(random_.below(location_count))};
    return event;
  }

  void store_plainly(Event event) {
    event.order = MemoryOrder::plain;
    event.index = growing_.graph.thread(event.thread).plain_index();
    waiting_[number(event.location)] = event;
  }
  /// What an access to the location does first.
  void find_plain_store(LocationId location) {
    std::optional<Event>& plain = waiting_[number(location)];
    if (!plain) return;
    const Placed placed{*plain, ExecutionGraph::newest};
    // Fences may have relied on no other thread having stored: a race, after which the axioms promise nothing.
    is_racy_beyond_the_axioms_ = !growing_.is_consistent_with(placed);
    growing_.add(placed);
    plain.reset();
  }

  void read(Event event) {
    find_plain_store(event.location);
    if (is_racy_beyond_the_axioms_) return;
    ExecutionGraph& graph = growing_.graph;
    base::ArenaVector<EventId> candidates;
    growing_.state.readable_writes(event, candidates);
    std::vector<EventId> offered(candidates.begin(), candidates.end()), allowed;
    const auto order = graph.location(event.location).modification_order;
    for (const EventId write : order) {
      if (event.kind == EventKind::rmw && graph.event(write).overwritten_by != graph::no_event) continue;
      if (growing_.is_consistent_with(reading(event, write))) allowed.push_back(write);
    }
    ASSERT_EQ(offered, allowed);
    count(order.size(), allowed.size());
    growing_.add(reading(event, candidates[random_.below(candidates.size())]));
  }
  Placed reading(Event event, EventId write) const {
    event.reads_from = write;
    return {event, event.kind == EventKind::rmw ? growing_.graph.event(write).mo_position + 1 : 0};
  }

  void write(const Event& event) {
    find_plain_store(event.location);
    if (is_racy_beyond_the_axioms_) return;
    ExecutionGraph& graph = growing_.graph;
    base::ArenaVector<std::uint32_t> slots;
    // Asked about in the place where it may be appended: questions must leave it as it is.
    Event& begun = graph.begin_event();
    begun = event;
    growing_.state.mo_slots(begun, slots);
    ASSERT_TRUE(begun.kind == event.kind && begun.order == event.order && begun.thread == event.thread &&
                begun.location == event.location && begun.index == 0 && begun.mo_position == 0);
    std::vector<std::uint32_t> offered(slots.begin(), slots.end()), allowed;
    const auto order = graph.location(event.location).modification_order;
    const std::vector<std::uint32_t> newest{static_cast<std::uint32_t>(order.size())};
    if (growing_.state.goes_last(begun)) {
      ASSERT_EQ(offered, newest);
    }
    for (std::uint32_t position = 1; position <= order.size(); ++position) {
      if (graph.event(order[position - 1]).overwritten_by != graph::no_event) continue;
      if (growing_.is_consistent_with({event, position})) allowed.push_back(position);
    }
    ASSERT_EQ(offered, allowed);
    count(order.size(), allowed.size());
    growing_.add({event, slots[random_.below(slots.size())]});
  }

  void count(std::size_t all, std::size_t allowed) {
    stale_choices_ += allowed - 1;
    refused_choices_ += all - allowed;
  }

  base::Random random_;
  std::byte model_memory_[4096];
  base::Arena model_arena_;
  const MemoryModel& model_;
  Growing growing_{model_};
  std::optional<Event> waiting_[location_count];
  bool is_racy_beyond_the_axioms_ = false;
  std::size_t stale_choices_ = 0, refused_choices_ = 0;
};

}  // namespace

TEST(Psc, OffersExactlyWhatTheAxiomsAllow) {
  std::size_t stale = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    RandomGraph graph(seed);
    for (int step = 0; step < 24 && !graph.is_racy_beyond_the_axioms() && !HasFailure(); ++step) graph.step();
    if (HasFailure()) ADD_FAILURE() << "seed " << seed;
    stale += graph.stale_choices();
    refused += graph.refused_choices();
  }
  EXPECT_GT(stale, 1000U);
  EXPECT_GT(refused, 1000U);
}

TEST(Reachability, IsTheTransitiveClosure) {
  constexpr std::size_t largest = 200;
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(arena_size);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    base::Arena arena({memory.get(), arena_size});
    base::Random random(seed);
    base::Reachability graph;
    std::vector<std::vector<bool>> leads(largest, std::vector<bool>(largest));
    const auto add = [&](std::size_t from, std::size_t to) {
      for (std::size_t a = 0; a < largest; ++a)
        for (std::size_t b = 0; b < largest; ++b)
          if ((a == from || leads[a][from]) && (b == to || leads[to][b])) leads[a][b] = true;
    };
    for (std::size_t node = 0; node < largest; ++node) {
      graph.add_node(arena);
      if (node != 0 && random.one_in(2)) {
        const std::size_t from = random.below(node);
        graph.add_edge_to_newest(from);
        add(from, node);
      }
      const std::size_t from = random.below(node + 1);
      if (!random.one_in(3)) continue;
      base::Reachability::Set several;
      several.clear(arena, node + 1);
      for (std::size_t to = 0; to <= node; ++to)
        if (to != from && !leads[to][from] && random.one_in(20)) several.add(to);
      graph.add_edges(from, several);
      for (std::size_t to = 0; to <= node; ++to)
        if (several.contains(to)) add(from, to);
    }
    for (std::size_t a = 0; a < largest; ++a)
      for (std::size_t b = 0; b < largest; ++b) ASSERT_EQ(graph.leads(a, b), leads[a][b]) << a << ' ' << b;
    base::Reachability::Set some;
    some.clear(arena, graph.size());
    EXPECT_TRUE(some.empty());
    some.add(3);
    some.add(150);
    for (std::size_t b = 0; b < largest; ++b)
      EXPECT_EQ(graph.leads(some, b), b == 3 || b == 150 || leads[3][b] || leads[150][b]);
  }
}

}  // namespace heddle::models
