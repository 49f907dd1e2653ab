// memory::Memory without fibers: a driver of a few lines, and a strategy that takes the option it is told to take.
#include "memory/memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace heddle::memory {

namespace {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::LocationId;
using graph::MemoryOrder;
using graph::ThreadId;
using strategies::ChoiceKind;

constexpr ThreadId t0{0}, t1{1};
constexpr LocationId x{0}, y{1};
constexpr std::size_t arena_size = std::size_t{1} << 20;

/// Records the choices it is asked for and takes the options in `next`, or else the first.
class TestDriver {
 public:
  explicit TestDriver(const char* model) : model_(models::make_model(model, {}, arena_)) {
    memory.begin_execution(model_->begin_execution(graph, arena_));
    for (const ThreadId t : {t0, t1}) graph.add_thread(t, 100 + number(t));
    for (const LocationId l : {x, y}) graph.add_location(200 + number(l), 4, 0);
  }

  std::uint32_t choose(const strategies::Choice& choice) {
    asked.push_back({choice.kind, choice.options.size()});
    return take();
  }
  bool names_writes() const { return names; }
  std::uint32_t choose_write(ThreadId, LocationId, std::size_t count) {
    asked.push_back({ChoiceKind::reads_from, count});
    return take();
  }
  std::uint32_t newest_seen(ThreadId, LocationId) const { return seen; }
  std::uint32_t oldest_settled(LocationId) const { return settled; }
  EventId record(std::uint32_t mo_position) {
    const EventId id = graph.append_begun(mo_position);
    memory.state().commit(id);
    return id;
  }
  void reached_memory(EventId store) { reached.push_back(graph.event(store).written); }

  Event& begin(ThreadId thread, EventKind kind, LocationId location, MemoryOrder order = MemoryOrder::relaxed) {
    Event& event = graph.begin_event();
    event.kind = kind;
    event.order = order;
    event.thread = thread;
    event.location = location;
    event.size = 4;
    return event;
  }
  EventId store(ThreadId thread, LocationId location, graph::Value value, MemoryOrder order = MemoryOrder::relaxed) {
    Event& event = begin(thread, EventKind::store, location, order);
    event.written = value;
    return memory.store(event);
  }
  /// An event on a synchronisation object, as the engine records it.
  EventId synchronise(ThreadId thread, EventKind kind, MemoryOrder order, const std::vector<EventId>& releases) {
    Event& event = begin(thread, kind, graph::no_location, order);
    event.synchronised = arena_.copy_array(std::span<const EventId>(releases));
    memory.settle_before(event);
    return record(graph::ExecutionGraph::newest);
  }
  std::optional<models::Violation> check() { return model_->check(graph, arena_); }
  graph::Value load(ThreadId thread, LocationId location) {
    return graph.event(memory.load(begin(thread, EventKind::load, location))).read;
  }
  auto exchange(ThreadId thread, LocationId location, graph::Value expected, SpuriousFailure failure) {
    return memory.compare_exchange(begin(thread, EventKind::rmw, location),
                                   {MemoryOrder::relaxed, failure, expected, 9});
  }

 private:
  std::uint32_t take() {
    if (next.empty()) return 0;
    const std::uint32_t taken = next.front();
    next.erase(next.begin());
    return taken;
  }

  std::unique_ptr<std::byte[]> bytes_ = std::make_unique_for_overwrite<std::byte[]>(arena_size);
  base::Arena arena_{{bytes_.get(), arena_size}};
  const models::MemoryModel* model_;

 public:
  struct Asked {
    ChoiceKind kind;
    std::size_t options;
    bool operator==(const Asked&) const = default;
  };
  graph::ExecutionGraph graph{arena_};
  Memory<TestDriver> memory{graph, arena_, *this};
  bool names = true;
  std::uint32_t seen = nothing_seen;
  std::uint32_t settled = 0;
  std::vector<std::uint32_t> next;
  std::vector<Asked> asked;
  std::vector<graph::Value> reached;
};

using Asked = std::vector<TestDriver::Asked>;

}  // namespace

TEST(Memory, ALoadIsOfferedTheWritesThatTheModelAllowsOldestFirst) {
  for (const bool names : {false, true}) {
    TestDriver driver("rc11");
    driver.names = names;
    driver.store(t0, x, 1);
    driver.store(t0, x, 2);
    driver.next = {1};
    EXPECT_EQ(driver.load(t1, x), 1U);
    EXPECT_EQ(driver.asked, (Asked{{ChoiceKind::reads_from, 3}}));
    driver.next = {1};
    EXPECT_EQ(driver.load(t1, x), 2U) << "coherence leaves two";
    EXPECT_EQ(driver.asked.back().options, 2U);
  }
}

TEST(Memory, AStoreIsOfferedThePlacesThatTheModelAllows) {
  TestDriver driver("rc11");
  driver.store(t0, x, 1);
  const EventId older = driver.store(t1, x, 2);
  EXPECT_EQ(driver.asked, (Asked{{ChoiceKind::mo_slot, 2}}));
  EXPECT_EQ(driver.graph.event(older).mo_position, 1U);
}

TEST(Memory, AReadModifyWriteFollowsWhatItReads) {
  TestDriver driver("rc11");
  driver.store(t0, x, 5);
  driver.next = {0};
  const EventId id =
      driver.memory.read_modify_write(driver.begin(t1, EventKind::rmw, x), [](graph::Value old) { return old + 1; });
  EXPECT_EQ(driver.graph.event(id).read, 0U);
  EXPECT_EQ(driver.graph.event(id).written, 1U);
  EXPECT_EQ(driver.graph.event(id).mo_position, 1U);
}

TEST(Memory, AThreadThatWaitsIsOfferedOnlyWhatItHasNotSeen) {
  for (const bool names : {false, true}) {
    TestDriver driver("rc11");
    driver.names = names;
    driver.store(t0, x, 1);
    driver.store(t0, x, 2);
    driver.seen = 0;
    EXPECT_EQ(driver.load(t1, x), 1U);
    EXPECT_EQ(driver.asked, (Asked{{ChoiceKind::reads_from, 2}}));
  }
}

TEST(Memory, NoStoreGoesBeforeAWriteThatIsSettled) {
  TestDriver driver("rc11");
  driver.store(t0, x, 1);
  driver.store(t0, x, 2);
  driver.settled = 2;
  driver.asked = {};
  EXPECT_EQ(driver.graph.event(driver.store(t1, x, 3)).mo_position, 3U);
  EXPECT_EQ(driver.asked, Asked{});
}

TEST(Memory, ACompareExchangeSucceedsIfItReadsTheExpectedValue) {
  TestDriver driver("rc11");
  driver.store(t0, x, 1);
  driver.next = {0};
  EXPECT_TRUE(driver.exchange(t1, x, 0, SpuriousFailure::never).succeeded);
  driver.next = {0};
  const auto failed = driver.exchange(t1, x, 7, SpuriousFailure::never);
  EXPECT_FALSE(failed.succeeded);
  EXPECT_EQ(driver.graph.event(failed.event).kind, EventKind::load);
  EXPECT_TRUE(is_failed_exchange(driver.graph.event(failed.event)));
}

TEST(Memory, ASpuriousFailureIsDecidedFirstOrLast) {
  for (const auto failure : {SpuriousFailure::decided_first, SpuriousFailure::decided_last}) {
    TestDriver driver("rc11");
    driver.next = {1};
    const auto exchanged = driver.exchange(t0, x, 0, failure);
    EXPECT_FALSE(exchanged.succeeded);
    EXPECT_TRUE(exchanged.failed_spuriously);
    EXPECT_EQ(driver.asked, (Asked{{ChoiceKind::spurious, 2}}));
    EXPECT_FALSE(driver.exchange(t0, x, 3, failure).failed_spuriously) << "it fails anyway";
  }
}

TEST(Memory, ABufferedStoreIsReadByItsThreadAndReachesMemoryByAnInternalStep) {
  TestDriver driver("tso");
  const EventId store = driver.store(t0, x, 1);
  EXPECT_TRUE(is_buffered(driver.graph.event(store)));
  EXPECT_EQ(driver.load(t0, x), 1U);
  EXPECT_EQ(driver.load(t1, x), 0U);
  ASSERT_EQ(driver.memory.internal_steps().size(), 1U);
  driver.memory.commit_store(driver.memory.internal_steps()[0]);
  EXPECT_EQ(driver.load(t1, x), 1U);
  EXPECT_TRUE(driver.memory.internal_steps().empty());
  EXPECT_EQ(driver.graph.kept_hash(), canonical_hash(driver.graph));
}

TEST(Memory, BufferedStoresReachMemoryInOrder) {
  TestDriver driver("tso");
  driver.store(t0, x, 1);
  driver.store(t0, y, 2);
  driver.store(t1, x, 3);
  ASSERT_EQ(driver.memory.internal_steps().size(), 2U) << "the oldest store of each thread";
  driver.memory.fence(driver.begin(t0, EventKind::fence, graph::no_location, MemoryOrder::acq_rel));
  EXPECT_TRUE(driver.reached.empty()) << "only a seq_cst fence empties the buffer";
  driver.memory.fence(driver.begin(t0, EventKind::fence, graph::no_location, MemoryOrder::seq_cst));
  EXPECT_EQ(driver.reached, (std::vector<graph::Value>{1, 2}));
}

TEST(Memory, WhatEmptiesTheBufferOfTso) {
  const auto reached_after = [](auto operation) {
    TestDriver driver("tso");
    driver.store(t0, x, 1);
    operation(driver);
    return driver.reached.size();
  };
  EXPECT_EQ(reached_after([](TestDriver& driver) { driver.load(t0, y); }), 0U);
  EXPECT_EQ(reached_after([](TestDriver& driver) { driver.store(t0, y, 2, MemoryOrder::release); }), 0U);
  EXPECT_EQ(reached_after([](TestDriver& driver) { driver.store(t0, y, 2, MemoryOrder::seq_cst); }), 2U);
  EXPECT_EQ(reached_after([](TestDriver& driver) { driver.exchange(t0, y, 0, SpuriousFailure::never); }), 1U);
  EXPECT_EQ(reached_after([](TestDriver& driver) { driver.exchange(t0, y, 7, SpuriousFailure::never); }), 1U);
  EXPECT_EQ(reached_after([](TestDriver& driver) {
              driver.memory.settle_before(driver.begin(t0, EventKind::unlock, graph::no_location));
            }),
            1U);
  EXPECT_EQ(reached_after([](TestDriver& driver) { driver.exchange(t1, y, 0, SpuriousFailure::never); }), 0U);
  for (const EventKind kind : {EventKind::lock, EventKind::unlock}) {
    const auto without_barrier = [kind](TestDriver& driver) {
      driver.memory.settle_before(driver.begin(t0, kind, graph::no_location, MemoryOrder::acq_rel));
    };
    EXPECT_EQ(reached_after(without_barrier), 0U) << "as an unlock of a spinlock, or a signal without a waiter";
  }
}

TEST(Memory, TheNextLockWaitsForAnUnlockInTheBufferOfTso) {
  TestDriver driver("tso");
  driver.store(t0, x, 1);
  const EventId unlock = driver.synchronise(t0, EventKind::unlock, MemoryOrder::acq_rel, {});
  driver.store(t0, y, 2);
  EXPECT_EQ(driver.load(t0, y), 2U);
  EXPECT_TRUE(driver.reached.empty());
  driver.synchronise(t1, EventKind::lock, MemoryOrder::plain, {unlock});
  EXPECT_EQ(driver.reached, (std::vector<graph::Value>{1})) << "not what was stored after the unlock";
  EXPECT_EQ(driver.load(t1, x), 1U);
  EXPECT_EQ(driver.load(t1, y), 0U);
}

/// Two threads with critical sections of one spinlock, in which they store and load. Internal steps come at random.
TEST(Memory, ExecutionsWithSpinlocksSatisfyTheAxiomsOfTso) {
  std::uint32_t delayed = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    base::Random random(seed);
    TestDriver driver("tso");
    EventId last_unlock = graph::no_event;
    for (int section = 0; section < 6; ++section) {
      const ThreadId thread = random.below(2) == 0 ? t0 : t1, other = thread == t0 ? t1 : t0;
      const auto releases = last_unlock == graph::no_event ? std::vector<EventId>{} : std::vector{last_unlock};
      driver.synchronise(thread, EventKind::lock, MemoryOrder::plain, releases);
      for (std::uint64_t i = random.below(3); i-- > 0;)
        driver.store(thread, random.below(2) == 0 ? x : y, 1 + random.below(3));
      last_unlock = driver.synchronise(thread, EventKind::unlock, MemoryOrder::acq_rel, {});
      delayed += driver.memory.internal_steps().empty() ? 0 : 1;
      for (std::uint64_t i = random.below(3); i-- > 0;) driver.load(thread, random.below(2) == 0 ? x : y);
      if (random.below(2) == 0) driver.load(other, random.below(2) == 0 ? x : y);
      if (!driver.memory.internal_steps().empty() && random.below(3) == 0)
        driver.memory.commit_store(driver.memory.internal_steps()[0]);
    }
    while (!driver.memory.internal_steps().empty()) driver.memory.commit_store(driver.memory.internal_steps()[0]);
    const auto violation = driver.check();
    ASSERT_FALSE(violation.has_value()) << violation->axiom << ", seed " << seed;
  }
  EXPECT_GT(delayed, 1000U) << "an unlock leaves stores in the buffer";
}

TEST(Memory, TheAxiomsOfTsoOrderCriticalSectionsOfASpinlock) {
  TestDriver driver("tso");
  driver.store(t0, x, 1);
  const EventId unlock = driver.synchronise(t0, EventKind::unlock, MemoryOrder::acq_rel, {});
  driver.memory.commit_store(driver.memory.internal_steps()[0]);
  driver.synchronise(t1, EventKind::lock, MemoryOrder::plain, {unlock});
  Event& load = driver.begin(t1, EventKind::load, x);
  load.reads_from = driver.graph.location(x).modification_order[0];
  driver.record(graph::ExecutionGraph::newest);
  EXPECT_TRUE(driver.check().has_value()) << "the load reads what memory held before the first critical section";
}

}  // namespace heddle::memory
