#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "graph/execution_graph.hpp"
#include "graph/relation.hpp"

namespace heddle::graph {

namespace {

constexpr ThreadId t0{0}, t1{1};

class Graph : public ::testing::Test {
 protected:
  Graph() {
    graph.add_thread(t0, 100);
    graph.add_thread(t1, 200);
    x = graph.add_location(300, 4, 0);
    y = graph.add_location(400, 4, 0);
  }
  void TearDown() override { EXPECT_EQ(graph.kept_hash(), canonical_hash(graph)); }

  EventId store(ThreadId thread, LocationId location, std::uint32_t position = ExecutionGraph::newest,
                MemoryOrder order = MemoryOrder::relaxed) {
    Event event;
    event.kind = EventKind::store;
    event.order = order;
    event.thread = thread;
    event.location = location;
    return graph.append(event, position);
  }
  EventId load(ThreadId thread, LocationId location, EventId from) {
    Event event;
    event.kind = EventKind::load;
    event.order = MemoryOrder::relaxed;
    event.thread = thread;
    event.location = location;
    event.reads_from = from;
    return graph.append(event);
  }
  EventId rmw(ThreadId thread, LocationId location, EventId from) {
    Event event;
    event.kind = EventKind::rmw;
    event.order = MemoryOrder::relaxed;
    event.thread = thread;
    event.location = location;
    event.reads_from = from;
    return graph.append(event, graph.event(from).mo_position + 1);
  }
  EventId init(LocationId location) { return graph.location(location).modification_order[0]; }
  std::vector<EventId> order(LocationId location) {
    const auto& mo = graph.location(location).modification_order;
    return {mo.begin(), mo.end()};
  }
  void expect_positions_agree() {
    for (LocationId location : {x, y})
      for (std::uint32_t i = 0; i < order(location).size(); ++i)
        EXPECT_EQ(graph.event(order(location)[i]).mo_position, i);
  }

  std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(1 << 16);
  base::Arena arena{{memory.get(), 1 << 16}};
  ExecutionGraph graph{arena};
  LocationId x{}, y{};
};

}  // namespace

TEST_F(Graph, NumbersTheEventsOfAThreadByEvenIndices) {
  EXPECT_EQ(graph.event(store(t0, x)).index, 2U);
  EXPECT_EQ(graph.event(store(t1, x)).index, 2U);
  EXPECT_EQ(graph.event(store(t0, y)).index, 4U);
  EXPECT_EQ(graph.thread(t0).plain_index(), 5U);
}

TEST_F(Graph, AStoreInTheMiddleMovesTheLaterOnes) {
  const EventId first = store(t0, x);
  const EventId last = store(t0, x);
  const EventId middle = store(t1, x, 2);
  EXPECT_EQ(order(x), (std::vector<EventId>{init(x), first, middle, last}));
  EXPECT_EQ(graph.newest_write(x), last);
  expect_positions_agree();
}

TEST_F(Graph, RetractingRestoresEverything) {
  const EventId a = store(t0, x);
  store(t0, x, ExecutionGraph::newest, MemoryOrder::seq_cst);
  const auto before = order(x);
  const std::uint64_t hash = canonical_hash(graph);

  store(t1, x, 1);
  graph.retract_last();
  store(t1, x, ExecutionGraph::newest, MemoryOrder::seq_cst);
  graph.retract_last();
  store(t1, x, 2, MemoryOrder::seq_cst);
  graph.retract_last();
  rmw(t1, x, a);
  EXPECT_NE(graph.event(a).overwritten_by, no_event);
  graph.retract_last();

  EXPECT_EQ(order(x), before);
  EXPECT_EQ(canonical_hash(graph), hash);
  EXPECT_EQ(graph.event(a).overwritten_by, no_event);
  EXPECT_EQ(graph.thread(t1).index, 0U);
  EXPECT_TRUE(graph.thread(t1).events.empty());
  expect_positions_agree();
}

TEST_F(Graph, AThreadKnowsWhatItReadAndWhatItWrote) {
  const EventId first = store(t0, x);
  store(t0, x);
  EXPECT_EQ(graph.newest_known(graph.location(x), *base::VectorClock::empty(), t1), 0U);
  load(t1, x, first);
  EXPECT_EQ(graph.newest_known(graph.location(x), *base::VectorClock::empty(), t1), 1U);
  EXPECT_EQ(graph.newest_known(graph.location(x), *base::VectorClock::empty(), t0), 2U);
}

TEST_F(Graph, WhatIsKnownThroughAClockStopsAtItsEntry) {
  store(t0, x);
  store(t0, x);
  const auto* one = base::VectorClock::with(arena, base::VectorClock::empty(), 0, 2);
  EXPECT_EQ(graph.newest_known(graph.location(x), *one, t1), 1U);
}

TEST_F(Graph, TheHashDoesNotDependOnTheOrderOfExecution) {
  const EventId a = store(t0, x);
  store(t1, y);
  load(t1, x, a);
  const std::uint64_t hash = canonical_hash(graph);

  arena.reset();
  graph.clear();
  graph.add_thread(t0, 100);
  graph.add_thread(t1, 200);
  // Locations that are met in another order get other ids, but keep their names.
  y = graph.add_location(400, 4, 0);
  store(t1, y);
  x = graph.add_location(300, 4, 0);
  load(t1, x, store(t0, x));
  EXPECT_EQ(canonical_hash(graph), hash);
}

TEST_F(Graph, TheHashTellsReadsFromAndModificationOrderApart) {
  const EventId a = store(t0, x);
  store(t1, x);
  const std::uint64_t appended = canonical_hash(graph);
  graph.retract_last();
  store(t1, x, 1);
  EXPECT_NE(canonical_hash(graph), appended);

  load(t1, x, a);
  const std::uint64_t reads_a = canonical_hash(graph);
  graph.retract_last();
  load(t1, x, init(x));
  EXPECT_NE(canonical_hash(graph), reads_a);
}

class ProgramOrder : public Graph, public testing::WithParamInterface<int> {
 protected:
  /// Program order is asked for after so many events.
  void count() {
    if (appended_++ == GetParam()) graph.keep_program_order();
  }
  int appended_ = 0;
};

TEST_P(ProgramOrder, IsTheSameWheneverItIsAskedFor) {
  const auto plain_store = [&](std::uint32_t index) {
    Event found;
    found.kind = EventKind::store;
    found.order = MemoryOrder::plain;
    found.thread = t0;
    found.index = index;
    found.location = x;
    return graph.append(found);
  };
  count();
  const EventId first = store(t0, y);
  count();
  const EventId other = store(t1, y);
  count();
  const EventId second = store(t0, y);
  count();
  const EventId between = plain_store(3);
  count();
  const EventId between_too = plain_store(3);
  count();
  store(t0, x);
  graph.retract_last();
  const EventId last = store(t0, x);
  graph.keep_program_order();
  const auto events = [&](ThreadId thread) {
    const auto span = graph.thread(thread).events.span();
    return std::vector<EventId>(span.begin(), span.end());
  };
  EXPECT_EQ(events(t0), (std::vector<EventId>{first, between, between_too, second, last}));
  EXPECT_EQ(events(t1), std::vector<EventId>{other});
  EXPECT_EQ(graph.thread(t0).index, 6U);
}

INSTANTIATE_TEST_SUITE_P(AskedFor, ProgramOrder, testing::Range(0, 6));

TEST(Relation, ComposesClosesAndFindsCycles) {
  std::array<std::byte, 65536> memory{};
  base::Arena arena(memory);
  Relation next(arena, 70);  // more than one word a row
  for (std::size_t i = 0; i + 1 < 70; ++i) next.add(i, i + 1);
  EXPECT_TRUE((next * next).has(3, 5));
  EXPECT_FALSE((next * next).has(3, 4));
  EXPECT_TRUE(next.plus().has(0, 69));
  EXPECT_TRUE(next.is_acyclic());
  EXPECT_TRUE(next.inverse().has(1, 0));
  EXPECT_TRUE(next.maybe().has(4, 4));
}

}  // namespace heddle::graph
