// Random graphs are cut back at a random event and repeated. The result must be the graph that the same events build
// anew, and a model that adopts it must offer the same choices as one that has seen every event.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"

namespace heddle::graph {

namespace {

constexpr std::uint32_t thread_count = 3;
constexpr std::size_t arena_size = std::size_t{1} << 20;

/// One call of the driver: a thread, a location, or an event of a thread or of memory.
struct Call {
  enum class Kind : std::uint8_t { thread, location, event, import } kind = Kind::event;
  std::uint32_t number = 0;
  Event event;
  std::uint32_t position = 0;
};

class Driver {
 public:
  explicit Driver(const models::MemoryModel& model)
      : model_(model), memory_(std::make_unique_for_overwrite<std::byte[]>(arena_size)),
        arena_({memory_.get(), arena_size}) {
    graph.keep_program_order();
    graph.keep_history();
    begin_execution();
  }
  void begin_execution() { state = &model_.begin_execution(graph, arena_); }

  void make(const Call& call) {
    switch (call.kind) {
      case Call::Kind::thread: return graph.add_thread(ThreadId{call.number}, 100 + call.number);
      case Call::Kind::location: graph.add_location(200 + call.number, 4, 0); return;
      case Call::Kind::event: {
        const EventId id = graph.append(call.event, call.position);
        state->commit(id);
        return graph.record_history(id, {.decisions = number(id), .failed_emulations = 0});
      }
      case Call::Kind::import: state->commit(graph.append(call.event)); return;
    }
  }
  void repeat(const Call& call) {
    switch (call.kind) {
      case Call::Kind::thread: return graph.add_thread(ThreadId{call.number}, 100 + call.number);
      case Call::Kind::location: graph.add_location(200 + call.number, 4, 0); return;
      case Call::Kind::event: ASSERT_NE(graph.repeat(call.event), no_event); return;
      case Call::Kind::import: ASSERT_TRUE(graph.repeats_import_to(call.event.location)); return graph.repeat_import();
    }
  }

 private:
  const models::MemoryModel& model_;
  std::unique_ptr<std::byte[]> memory_;
  base::Arena arena_;

 public:
  ExecutionGraph graph{arena_};
  models::ModelState* state = nullptr;
};

class RandomCalls {
 public:
  RandomCalls(Driver& driver, std::uint64_t seed) : driver_(driver), random_(seed) {}

  std::vector<Call> make(std::size_t count) {
    std::vector<Call> calls;
    const auto make = [&](const Call& call) {
      driver_.make(call);
      calls.push_back(call);
    };
    make({Call::Kind::thread, 0, {}, 0});
    make({Call::Kind::location, 0, {}, 0});
    while (calls.size() < count) {
      const std::uint64_t kind = random_.below(14);
      if (kind == 0 && threads_ < thread_count) {
        make({Call::Kind::thread, threads_++, {}, 0});
        make(event(EventKind::create, no_location));
      } else if (kind == 1) {
        make({Call::Kind::location, locations_++, {}, 0});
      } else if (kind == 2) {
        make(import());
      } else if (kind == 3) {
        make(event(EventKind::fence, no_location));
      } else {
        make(access(kind < 8 ? EventKind::load : kind < 11 ? EventKind::store : EventKind::rmw));
      }
    }
    return calls;
  }
  Event draft(EventKind kind, LocationId location) {
    constexpr MemoryOrder orders[] = {MemoryOrder::relaxed, MemoryOrder::acq_rel, MemoryOrder::seq_cst};
    Event event;
    event.kind = kind;
    event.order = orders[random_.below(3)];
    event.thread = ThreadId{static_cast<std::uint32_t>(random_.below(threads_))};
    event.location = location;
    return event;
  }
  LocationId any_location() { return LocationId{static_cast<std::uint32_t>(random_.below(locations_))}; }

 private:
  Call event(EventKind kind, LocationId location) {
    Call call;
    call.event = draft(kind, location);
    return call;
  }
  Call access(EventKind kind) {
    Call call = event(kind, any_location());
    call.event.size = 4;
    if (kind == EventKind::store) {
      base::ArenaVector<std::uint32_t> slots;
      driver_.state->mo_slots(call.event, slots);
      call.position = slots[random_.below(slots.size())];
    } else {
      base::ArenaVector<EventId> writes;
      driver_.state->readable_writes(call.event, writes);
      call.event.reads_from = writes[random_.below(writes.size())];
      call.event.read = driver_.graph.event(call.event.reads_from).written;
      call.position = kind == EventKind::rmw ? driver_.graph.event(call.event.reads_from).mo_position + 1 : 0;
    }
    if (kind != EventKind::load) call.event.written = ++value_;
    return call;
  }
  /// A plain store that is found in memory. Its thread may be unknown.
  Call import() {
    Call call = event(EventKind::store, any_location());
    call.kind = Call::Kind::import;
    call.event.order = MemoryOrder::plain;
    call.event.size = 4;
    call.event.written = ++value_;
    if (random_.one_in(3))
      call.event.thread = no_thread;
    else
      call.event.index = driver_.graph.thread(call.event.thread).plain_index();
    return call;
  }

  Driver& driver_;
  base::Random random_;
  std::uint32_t threads_ = 1;
  std::uint32_t locations_ = 1;
  Value value_ = 0;
};

void expect_same(const ExecutionGraph& a, const ExecutionGraph& b) {
  ASSERT_EQ(a.events().size(), b.events().size());
  ASSERT_EQ(a.locations().size(), b.locations().size());
  EXPECT_EQ(a.kept_hash(), b.kept_hash());
  EXPECT_EQ(canonical_hash(a), canonical_hash(b));
  for (std::size_t i = 0; i < a.events().size(); ++i) {
    const Event &x = a.events()[i], &y = b.events()[i];
    EXPECT_EQ(x.index, y.index);
    EXPECT_EQ(x.mo_position, y.mo_position);
    EXPECT_EQ(x.overwritten_by, y.overwritten_by);
  }
  for (std::size_t i = 0; i < a.locations().size(); ++i) {
    const Location &x = a.locations()[i], &y = b.locations()[i];
    EXPECT_EQ(x.known_to_all, y.known_to_all);
    EXPECT_TRUE(std::equal(x.modification_order.begin(), x.modification_order.end(), y.modification_order.begin(),
                           y.modification_order.end()));
    ASSERT_EQ(x.accessed_by.size(), y.accessed_by.size());
    for (std::size_t j = 0; j < x.accessed_by.size(); ++j) {
      EXPECT_EQ(x.accessed_by[j].thread, y.accessed_by[j].thread);
      EXPECT_EQ(x.accessed_by[j].accesses.size(), y.accessed_by[j].accesses.size());
    }
  }
  for (std::uint32_t t = 0; t < thread_count; ++t) {
    const bool exists = t < b.threads().size() && b.threads()[t].exists;
    ASSERT_EQ(t < a.threads().size() && a.threads()[t].exists, exists);
    if (!exists) continue;
    const Thread &x = a.threads()[t], &y = b.threads()[t];
    EXPECT_EQ(x.index, y.index);
    EXPECT_TRUE(std::equal(x.events.begin(), x.events.end(), y.events.begin(), y.events.end()));
    for (std::uint32_t other = 0; other < thread_count; ++other) {
      EXPECT_EQ((*x.clock)[other], (*y.clock)[other]);
      EXPECT_EQ((*x.acquirable)[other], (*y.acquirable)[other]);
    }
    EXPECT_EQ(x.release_fence == nullptr, y.release_fence == nullptr);
  }
}

/// How many of the calls come before the cut: one that ends with an event of a thread.
std::size_t choose_cut(const std::vector<Call>& calls, base::Random& random) {
  std::size_t at = random.below(calls.size());
  while (at > 0 && calls[at - 1].kind != Call::Kind::event) --at;
  return at;
}

}  // namespace

TEST(RepetitionTest, AGraphThatIsCutAndRepeatedIsTheGraphOfTheSameEvents) {
  std::byte model_memory[4096];
  base::Arena model_arena({model_memory, sizeof model_memory});
  const models::MemoryModel& model = *models::make_model("rc11", {}, model_arena)->for_exploration();
  std::size_t cuts = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Driver driver(model);
    RandomCalls script(driver, seed);
    const std::vector<Call> calls = script.make(40);
    base::Random random(seed, 1);
    const std::size_t kept = choose_cut(calls, random);
    if (kept == 0) continue;
    ++cuts;
    Driver anew(model);
    for (std::size_t i = 0; i < kept; ++i) anew.make(calls[i]);

    const auto end = static_cast<std::uint32_t>(anew.graph.events().size());
    ASSERT_TRUE(driver.graph.can_be_cut());
    driver.graph.cut(EventId{end});
    driver.begin_execution();
    ASSERT_TRUE(driver.state->adopt_graph());
    for (std::size_t i = 0; i < kept; ++i) {
      ASSERT_TRUE(driver.graph.is_repeating());
      driver.repeat(calls[i]);
    }
    ASSERT_FALSE(driver.graph.is_repeating());
    expect_same(driver.graph, anew.graph);

    // The rest, with the choices that both models offer.
    for (std::uint32_t l = 0; l < anew.graph.locations().size(); ++l)
      for (std::uint32_t t = 0; t < anew.graph.threads().size(); ++t)
        for (const EventKind kind : {EventKind::load, EventKind::rmw}) {
          if (!anew.graph.threads()[t].exists) continue;
          Event read = script.draft(kind, LocationId{l});
          read.thread = ThreadId{t};
          base::ArenaVector<EventId> ours, theirs;
          driver.state->readable_writes(read, ours);
          anew.state->readable_writes(read, theirs);
          EXPECT_TRUE(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
        }
    for (std::size_t i = kept; i < calls.size(); ++i) {
      driver.make(calls[i]);
      anew.make(calls[i]);
    }
    expect_same(driver.graph, anew.graph);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(cuts, 300U);
}

TEST(RepetitionTest, AGraphThatIsCutGoesOnWithoutRepetition) {
  std::byte model_memory[4096];
  base::Arena model_arena({model_memory, sizeof model_memory});
  const models::MemoryModel& model = *models::make_model("rc11", {}, model_arena)->for_exploration();
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Driver driver(model);
    RandomCalls script(driver, seed);
    const std::vector<Call> calls = script.make(40);
    base::Random random(seed, 2);
    const std::size_t kept = choose_cut(calls, random);
    if (kept == 0) continue;
    Driver anew(model);
    for (std::size_t i = 0; i < kept; ++i) anew.make(calls[i]);

    driver.graph.cut_and_continue(EventId{static_cast<std::uint32_t>(anew.graph.events().size())});
    driver.begin_execution();
    ASSERT_TRUE(driver.state->adopt_graph());
    ASSERT_FALSE(driver.graph.is_repeating());
    expect_same(driver.graph, anew.graph);
    for (std::size_t i = kept; i < calls.size(); ++i) {
      driver.make(calls[i]);
      anew.make(calls[i]);
    }
    expect_same(driver.graph, anew.graph);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(RepetitionTest, AnotherEventThanTheRepeatedOneIsNoticed) {
  std::byte model_memory[4096];
  base::Arena model_arena({model_memory, sizeof model_memory});
  const models::MemoryModel& model = *models::make_model("rc11", {}, model_arena)->for_exploration();
  Driver driver(model);
  driver.make({Call::Kind::thread, 0, {}, 0});
  driver.make({Call::Kind::location, 0, {}, 0});
  Call store;
  store.event.kind = EventKind::store;
  store.event.order = MemoryOrder::relaxed;
  store.event.thread = ThreadId{0};
  store.event.location = LocationId{0};
  store.event.written = 1;
  store.position = 1;
  driver.make(store);
  driver.graph.cut(EventId{2});
  driver.repeat({Call::Kind::thread, 0, {}, 0});
  driver.repeat({Call::Kind::location, 0, {}, 0});
  Event other = store.event;
  other.written = 2;
  EXPECT_EQ(driver.graph.repeat(other), no_event);
  EXPECT_EQ(driver.graph.repeat(store.event), EventId{1});
  EXPECT_FALSE(driver.graph.is_repeating());
}

}  // namespace heddle::graph
