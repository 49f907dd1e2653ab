// Missing edges, cycles and broken steps in logs that are made by hand, and the story on narrow terminals.
#include "report/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "story/atomicity.hpp"
#include "story/execution_log.hpp"
#include "story/missing_edges.hpp"

namespace heddle::story {
namespace {

constexpr LocationNumber data = 0, flag = 1;

/// A log of two threads. Events have no clocks but their own thread's order: nothing synchronises.
class Log {
 public:
  Log() {
    log_.threads = {{"T0.1"}, {"T0.2"}};
    log_.graph_threads = {0, 1};
    log_.locations.resize(2);
  }
  EventNumber add(ThreadNumber thread, EventKind kind, LocationNumber location, MemoryOrder order) {
    Event event;
    event.kind = kind;
    event.order = order;
    event.thread = thread;
    event.index = static_cast<std::uint32_t>(2 * log_.events.size() + 2);
    event.location = location;
    event.clock = {0, 0};
    if (kind == EventKind::store || kind == EventKind::rmw || kind == EventKind::plain_write) {
      event.written = 1;
      event.mo_position = ++writes_[location];
      log_.locations[location].modification_order.push_back(log_.events.size());
    }
    if (kind == EventKind::load || kind == EventKind::rmw) event.read = 1;
    log_.events.push_back(event);
    return log_.events.size() - 1;
  }
  EventNumber add_fence(ThreadNumber thread, MemoryOrder order) {
    const EventNumber fence = add(thread, EventKind::fence, 0, order);
    log_.events[fence].location.reset();
    return fence;
  }
  EventNumber read(ThreadNumber thread, LocationNumber location, MemoryOrder order, std::optional<EventNumber> from) {
    const EventNumber read = add(thread, EventKind::load, location, order);
    log_.events[read].reads_from = from;
    return read;
  }
  ExecutionLog& log() { return log_; }

 private:
  ExecutionLog log_;
  std::size_t writes_[2] = {};
};

TEST(MissingEdgesTest, ARelaxedFlagNeedsReleaseAndAcquire) {
  Log made;
  const auto first = made.add(0, EventKind::plain_write, data, MemoryOrder::plain);
  const auto store = made.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  const auto load = made.read(1, flag, MemoryOrder::relaxed, store);
  const auto second = made.add(1, EventKind::plain_read, data, MemoryOrder::plain);
  const auto path = MissingEdges(made.log()).find_path(first, second);
  ASSERT_TRUE(path.has_value());
  ASSERT_EQ(path->stronger.size(), 2U);
  EXPECT_EQ(path->stronger[0].event, store);
  EXPECT_EQ(path->stronger[0].order, MemoryOrder::release);
  EXPECT_EQ(path->stronger[1].event, load);
  EXPECT_EQ(path->stronger[1].order, MemoryOrder::acquire);
}

TEST(MissingEdgesTest, AReleaseFenceCountsOnlyBehindTheFirstAccess) {
  Log made;
  made.add_fence(0, MemoryOrder::release);
  const auto first = made.add(0, EventKind::plain_write, data, MemoryOrder::plain);
  const auto store = made.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  made.read(1, flag, MemoryOrder::acquire, store);
  const auto second = made.add(1, EventKind::plain_read, data, MemoryOrder::plain);
  const auto early = MissingEdges(made.log()).find_path(first, second);
  ASSERT_TRUE(early.has_value());
  ASSERT_EQ(early->stronger.size(), 1U);
  EXPECT_EQ(early->stronger[0].event, store);

  Log good;
  const auto before = good.add(0, EventKind::plain_write, data, MemoryOrder::plain);
  good.add_fence(0, MemoryOrder::release);
  const auto write = good.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  const auto load = good.read(1, flag, MemoryOrder::relaxed, write);
  const auto after = good.add(1, EventKind::plain_read, data, MemoryOrder::plain);
  const auto path = MissingEdges(good.log()).find_path(before, after);
  ASSERT_TRUE(path.has_value());
  ASSERT_EQ(path->stronger.size(), 1U);
  EXPECT_EQ(path->stronger[0].event, load);
}

TEST(MissingEdgesTest, WithoutCommunicationThereIsNoPath) {
  Log made;
  const auto first = made.add(0, EventKind::plain_write, data, MemoryOrder::plain);
  made.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  const auto second = made.add(1, EventKind::plain_read, data, MemoryOrder::plain);
  EXPECT_FALSE(MissingEdges(made.log()).find_path(first, second).has_value());
}

TEST(MissingEdgesTest, StoreBufferingIsACycleOfFourAccesses) {
  Log made;
  const auto x = made.add(0, EventKind::store, data, MemoryOrder::release);
  made.log().events[x].mo_position = 1;
  const auto read_y = made.read(0, flag, MemoryOrder::acquire, std::nullopt);
  const auto y = made.add(1, EventKind::store, flag, MemoryOrder::release);
  made.log().events[y].mo_position = 1;
  const auto read_x = made.read(1, data, MemoryOrder::acquire, std::nullopt);
  const auto cycle = MissingEdges(made.log()).find_cycle(x, read_x);
  ASSERT_TRUE(cycle.has_value());
  EXPECT_EQ(cycle->events, (std::vector<EventNumber>{x, read_y, y, read_x}));
  EXPECT_EQ(cycle->stronger.size(), 4U);
  EXPECT_TRUE(std::all_of(cycle->stronger.begin(), cycle->stronger.end(),
                          [](const StrongerOrder& order) { return order.order == MemoryOrder::seq_cst; }));
}

TEST(MissingEdgesTest, ManySearchesInALongLogEndSoon) {
  // Two threads pass a counter to and fro. Every search has thousands of pairs of passages to look at.
  Log made;
  std::vector<EventNumber> updates;
  for (std::size_t i = 0; i < 2000; ++i) {
    updates.push_back(made.add(i % 2, EventKind::rmw, flag, MemoryOrder::relaxed));
    if (i != 0) made.log().events[updates[i]].reads_from = updates[i - 1];
  }
  MissingEdges edges(made.log());
  ASSERT_TRUE(edges.find_path(updates[0], updates[51]).has_value());
  EXPECT_FALSE(edges.find_path(updates[0], updates[1999]).has_value()) << "too many passages";
  for (std::size_t first = 0; first + 60 < 2000; ++first)
    for (std::size_t second = 0; second < 500; ++second) (void)edges.find_path(updates[first], updates[first + 59]);
  EXPECT_FALSE(edges.has_steps_left());
  EXPECT_FALSE(edges.find_path(updates[0], updates[51]).has_value());
}

TEST(AtomicityTest, AWriteBetweenReadAndWriteBreaksTheStep) {
  Log made;
  const auto read = made.add(0, EventKind::plain_read, data, MemoryOrder::plain);
  const auto between = made.add(1, EventKind::plain_write, data, MemoryOrder::plain);
  const auto write = made.add(0, EventKind::plain_write, data, MemoryOrder::plain);
  const auto step = find_broken_step(made.log(), std::nullopt);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->first, read);
  EXPECT_EQ(step->between, between);
  EXPECT_EQ(step->second, write);
}

TEST(AtomicityTest, AReadBetweenTwoReadsBreaksNothing) {
  Log made;
  made.add(0, EventKind::plain_read, data, MemoryOrder::plain);
  made.add(1, EventKind::plain_read, data, MemoryOrder::plain);
  made.add(0, EventKind::plain_read, data, MemoryOrder::plain);
  EXPECT_FALSE(find_broken_step(made.log(), std::nullopt).has_value());
}

TEST(StoryLinesTest, NoLineIsWiderThanTheTerminal) {
  findings::Explanation explanation;
  explanation.tries = 1;
  findings::StoryStep step;
  step.thread = "T0.1";
  step.text = "changes `account.balance` from 100 to 50 by compare_exchange (relaxed): stale, it misses step 1";
  step.place = {"/nowhere/bank.cpp", 14, 3, "f"};
  explanation.steps = {step, step};
  explanation.cause = "the store to `ready` at line 15 is relaxed, so the load at line 18 that reads it orders nothing";
  explanation.advice = "make the store at line 15 release and the load at line 18 acquire";
  constexpr std::size_t width = 60;
  const auto lines = report::story_lines(explanation, width);
  EXPECT_GT(lines.size(), 6U);
  for (const report::StoryLine& line : lines) {
    EXPECT_LE(static_cast<std::size_t>(line.depth) * 2 + line.text.size(), width) << line.text;
    EXPECT_TRUE(std::none_of(line.text.begin(), line.text.end(), [](char c) { return c < ' '; })) << line.text;
  }
}

}  // namespace
}  // namespace heddle::story
