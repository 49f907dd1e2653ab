// What a read-modify-write or a compare-exchange may read, with and without a list: random graphs grow, and before
// every event both are asked.
#include "models/fitting_writes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/random.hpp"

namespace heddle::models {

namespace {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;

constexpr std::uint32_t threads = 3, locations = 2, values = 3;
constexpr std::size_t arena_size = std::size_t{16} << 20;

class RandomGraph {
 public:
  RandomGraph(const char* model, std::uint64_t seed, bool with_seq_cst)
      : random_(seed), with_seq_cst_(with_seq_cst), model_(make_model(model, {}, arena_)) {
    for (std::uint32_t t = 0; t < threads; ++t) graph_.add_thread(graph::ThreadId{t}, 100 + t);
    for (std::uint32_t l = 0; l < locations; ++l) graph_.add_location(200 + l, 4, 0);
  }

  void compare_and_grow() {
    const Event update = draft(EventKind::rmw);
    compare(listed(update), unlisted_update(update));
    Event load = draft(EventKind::load);
    load.thread = update.thread;
    load.location = update.location;
    const graph::Value expected = random_.below(values);
    compare(listed_exchange(load, update, expected), unlisted_exchange(load, update, expected));
    grow();
  }
  /// How often more than one write fitted, and there was no need of a list.
  int compared_choices() const { return compared_choices_; }

 private:
  using Writes = std::vector<EventId>;

  Event draft(EventKind kind) {
    constexpr MemoryOrder orders[] = {MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::release,
                                      MemoryOrder::acq_rel, MemoryOrder::seq_cst};
    Event event;
    event.kind = kind;
    event.order = orders[random_.below(with_seq_cst_ ? 5 : 4)];
    event.size = 4;
    event.thread = graph::ThreadId{static_cast<std::uint32_t>(random_.below(threads))};
    event.location = graph::LocationId{static_cast<std::uint32_t>(random_.below(locations))};
    event.written = random_.below(values);
    return event;
  }

  Writes listed(const Event& read) {
    base::ArenaVector<EventId> list;
    state_.readable_writes(read, list);
    return {list.begin(), list.end()};
  }
  Writes listed_exchange(const Event& load, const Event& update, graph::Value expected) {
    Writes writes;
    for (const EventId write : listed(load))
      if (graph_.event(write).written != expected) writes.push_back(write);
    for (const EventId write : listed(update))
      if (graph_.event(write).written == expected) writes.push_back(write);
    std::sort(writes.begin(), writes.end(),
              [&](EventId a, EventId b) { return graph_.event(a).mo_position < graph_.event(b).mo_position; });
    return writes;
  }

  template <typename Fits>
  Writes all_of(const Event& read, const Fits& fits) {
    const FittingWrites fitting(graph_, read.location, fits, fits.oldest());
    Writes writes;
    for (std::uint32_t i = 0; i < fitting.size(); ++i) writes.push_back(fitting[i]);
    EXPECT_EQ(fitting.newest(), writes.back());
    return writes;
  }
  std::optional<Writes> unlisted_update(const Event& update) {
    const std::uint32_t oldest = state_.readable_from(update);
    if (oldest == ModelState::unknown) return std::nullopt;
    return all_of(update, FitsUpdate(oldest));
  }
  std::optional<Writes> unlisted_exchange(const Event& load, const Event& update, graph::Value expected) {
    const std::uint32_t for_load = state_.readable_from(load);
    const std::uint32_t for_update = state_.readable_from(update);
    if (for_load == ModelState::unknown || for_update == ModelState::unknown) return std::nullopt;
    return all_of(load, FitsCompareExchange(for_load, for_update, expected));
  }

  void compare(const Writes& with_list, const std::optional<Writes>& without) {
    if (!without) return;
    EXPECT_EQ(with_list, *without);
    if (with_list.size() > 1) ++compared_choices_;
  }

  void grow() {
    constexpr EventKind kinds[] = {EventKind::load, EventKind::store, EventKind::store, EventKind::rmw};
    Event event = draft(kinds[random_.below(4)]);
    std::uint32_t place = graph::ExecutionGraph::newest;
    if (reads(event.kind)) {
      const Writes writes = listed(event);
      event.reads_from = writes[random_.below(writes.size())];
      if (event.kind == EventKind::rmw) place = graph_.event(event.reads_from).mo_position + 1;
    } else {
      base::ArenaVector<std::uint32_t> slots;
      state_.mo_slots(event, slots);
      place = slots[random_.below(slots.size())];
    }
    state_.commit(graph_.append(event, place));
  }

  base::Random random_;
  bool with_seq_cst_;
  std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(arena_size);
  base::Arena arena_{{memory_.get(), arena_size}};
  const MemoryModel* model_;
  graph::ExecutionGraph graph_{arena_};
  ModelState& state_{model_->begin_execution(graph_, arena_)};
  int compared_choices_ = 0;
};

void compare_on_random_graphs(const char* model, bool with_seq_cst, int least_choices) {
  int choices = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomGraph graph(model, seed, with_seq_cst);
    for (int event = 0; event < 60 && !::testing::Test::HasFailure(); ++event) graph.compare_and_grow();
    choices += graph.compared_choices();
  }
  EXPECT_GE(choices, least_choices) << model;
}

}  // namespace

TEST(FittingWrites, AreThoseOfTheListUnderRc11) { compare_on_random_graphs("rc11", false, 1000); }
TEST(FittingWrites, AreThoseOfTheListUnderRc11WithSeqCst) { compare_on_random_graphs("rc11", true, 100); }
TEST(FittingWrites, AreThoseOfTheListUnderC11) { compare_on_random_graphs("c11", true, 1000); }
TEST(FittingWrites, AreThoseOfTheListUnderSc) { compare_on_random_graphs("sc", true, 0); }

}  // namespace heddle::models
