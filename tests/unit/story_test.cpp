// Missing edges, cycles and broken steps in logs that are made by hand, and the story on narrow terminals.
#include "report/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "story/aba.hpp"
#include "story/atomicity.hpp"
#include "story/execution_log.hpp"
#include "story/linearise.hpp"
#include "story/lost_futex.hpp"
#include "story/lost_wakeup.hpp"
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
  std::size_t writes_[4] = {};
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

/// Sets what an event read or wrote.
void set_values(Event& event, std::optional<graph::Value> read, std::optional<graph::Value> written) {
  event.read = read;
  event.written = written;
}

TEST(AtomicityTest, WhatThreadCreationAndJoinOrderIsNoBrokenStep) {
  Log made;
  made.add(0, EventKind::plain_write, data, MemoryOrder::plain);
  const auto create = made.add(0, EventKind::create, flag, MemoryOrder::plain);
  const auto start = made.add(1, EventKind::start, flag, MemoryOrder::plain);
  const auto write = made.add(1, EventKind::plain_write, data, MemoryOrder::plain);
  set_values(made.log().events[write], std::nullopt, 2);
  const auto finish = made.add(1, EventKind::finish, flag, MemoryOrder::plain);
  const auto join = made.add(0, EventKind::join, flag, MemoryOrder::plain);
  made.add(0, EventKind::plain_read, data, MemoryOrder::plain);
  for (const EventNumber event : {create, start, finish, join}) made.log().events[event].location.reset();
  // Without the edges, the write of T0.2 comes between the accesses of T0.1.
  EXPECT_TRUE(find_broken_step(made.log(), std::nullopt).has_value());
  made.log().events[start].synchronises_with = {create};
  made.log().events[join].synchronises_with = {finish};
  EXPECT_FALSE(find_broken_step(made.log(), std::nullopt).has_value());
}

TEST(AtomicityTest, ACompareExchangeChecksTheValueItself) {
  Log made;
  const auto load = made.add(0, EventKind::load, flag, MemoryOrder::relaxed);
  const auto store = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  const auto exchange = made.add(0, EventKind::rmw, flag, MemoryOrder::relaxed);
  set_values(made.log().events[load], 5, std::nullopt);
  set_values(made.log().events[store], std::nullopt, 7);
  EXPECT_TRUE(find_broken_step(made.log(), std::nullopt).has_value());  // an exchange that compares nothing
  made.log().events[exchange].operation = "atomic compare_exchange";
  EXPECT_FALSE(find_broken_step(made.log(), std::nullopt).has_value());
}

TEST(AtomicityTest, AWriteOfTheSameValueBreaksNothing) {
  Log made;
  const auto load = made.add(0, EventKind::load, flag, MemoryOrder::relaxed);
  const auto store = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  made.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  set_values(made.log().events[load], 5, std::nullopt);
  set_values(made.log().events[store], std::nullopt, 5);
  EXPECT_FALSE(find_broken_step(made.log(), std::nullopt).has_value());
}

TEST(AtomicityTest, ThePlacesInTheSourceDecideAndNotTheOrderOfExecution) {
  const auto place = [](Log& made, EventNumber event, unsigned line) {
    findings::Frame frame;
    frame.file = "/src/a.c";
    frame.line = line;
    made.log().events[event].stack.frames = {frame};
  };
  for (const bool is_swapped : {false, true}) {
    Log made;
    for (const LocationNumber location : {is_swapped ? flag : data, is_swapped ? data : flag}) {
      const unsigned line = location == data ? 10 : 20;
      for (const auto& [thread, kind] : {std::pair(0, EventKind::plain_read), std::pair(1, EventKind::plain_write),
                                         std::pair(0, EventKind::plain_write)})
        place(made, made.add(static_cast<ThreadNumber>(thread), kind, location, MemoryOrder::plain), line);
    }
    const auto step = find_broken_step(made.log(), std::nullopt);
    ASSERT_TRUE(step.has_value());
    EXPECT_EQ(made.log().events[step->first].location, data);
  }
}

/// A thread reads A from `flag`, and then 2 from `data`; the other one stores B and A; the exchange from A to 2
/// succeeds.
TEST(AbaTest, AnExchangeThatFindsTheOldValueAgainIsAba) {
  Log made;
  const auto init = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  const auto load = made.read(0, flag, MemoryOrder::acquire, init);
  const auto next = made.read(0, data, MemoryOrder::relaxed, std::nullopt);
  const auto away = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  const auto reuse = made.add(1, EventKind::store, data, MemoryOrder::relaxed);
  const auto back = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  const auto exchange = made.add(0, EventKind::rmw, flag, MemoryOrder::acquire);
  auto& events = made.log().events;
  const auto positions = {std::pair(init, 0), std::pair(away, 1), std::pair(back, 2), std::pair(exchange, 3)};
  for (const auto& [event, position] : positions) events[event].mo_position = static_cast<std::size_t>(position);
  set_values(events[init], std::nullopt, 1);
  set_values(events[load], 1, std::nullopt);
  set_values(events[next], 2, std::nullopt);
  set_values(events[away], std::nullopt, 7);
  set_values(events[reuse], std::nullopt, 9);
  set_values(events[back], std::nullopt, 1);
  set_values(events[exchange], 1, 2);
  events[exchange].operation = "atomic compare_exchange";
  events[exchange].reads_from = back;
  const auto aba = find_aba(made.log());
  ASSERT_TRUE(aba.has_value());
  EXPECT_EQ(aba->read, load);
  EXPECT_EQ(aba->exchange, exchange);
  EXPECT_EQ(aba->changes, (std::vector<EventNumber>{away, back}));
  EXPECT_EQ(aba->reuse, reuse);
  const std::string text = aba_text(made.log(), *aba);
  EXPECT_NE(text.find("was 1 when T0.1 read it"), std::string::npos) << text;
  EXPECT_NE(text.find("became 7"), std::string::npos) << text;
  EXPECT_NE(text.find("became 1 again"), std::string::npos) << text;
  // What the exchange writes is up to date: it does no harm.
  set_values(events[reuse], std::nullopt, 2);
  EXPECT_FALSE(find_aba(made.log()).has_value());
}

/// Test, change, signal, wait.
TEST(LostWakeupTest, AChangeBetweenTestAndWaitIsNamed) {
  Log made;
  constexpr LocationNumber condition = 2, mutex = 3;
  made.log().locations.resize(4);
  made.log().locations[flag].name = "ready";
  made.log().locations[condition].object = "condition variable";
  made.log().locations[condition].address.value = 4096;
  made.log().locations[mutex].object = "mutex";
  const auto lock = made.add(0, EventKind::lock, mutex, MemoryOrder::plain);
  const auto test = made.read(0, flag, MemoryOrder::seq_cst, std::nullopt);
  const auto change = made.add(1, EventKind::store, flag, MemoryOrder::seq_cst);
  const auto signal = made.add(1, EventKind::unlock, condition, MemoryOrder::plain);
  const auto wait = made.add(0, EventKind::unlock, mutex, MemoryOrder::plain);
  auto& events = made.log().events;
  events[signal].operation = "condition signal";
  set_values(events[test], 0, std::nullopt);
  findings::ThreadState waiter;
  waiter.thread = "T0.1";
  waiter.object.emplace().value = 4096;
  const auto lost = find_lost_wakeup(waiter, made.log());
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->kind, LostWakeup::Kind::change_between);
  EXPECT_EQ(lost->test, test);
  EXPECT_EQ(lost->change, change);
  EXPECT_EQ(lost->signal, signal);
  EXPECT_EQ(lost->wait, wait);
  EXPECT_EQ(lost->mutex, lock);
  EXPECT_TRUE(lost->is_tested_under_mutex);
  EXPECT_FALSE(lost->is_changed_under_mutex);
  EXPECT_EQ(lost_wakeup_text(waiter, made.log(), *lost),
            "T0.1 read 0 from `ready`; T0.2 stored 1 and notified; only then T0.1 began to wait, so nothing wakes it");
}

/// T0.1 sleeps on `ready`, which T0.2 writes. Each value is written by one store.
class LostFutexTest : public ::testing::Test {
 protected:
  LostFutexTest() {
    made.log().locations.resize(3);
    made.log().locations[flag].name = "ready";
    made.log().locations[flag].address.value = 4096;
    waiter.thread = "T0.1";
    waiter.object.emplace().value = 4096;
    write(1, 0);
  }
  EventNumber write(ThreadNumber thread, graph::Value value, LocationNumber location = flag) {
    const EventNumber event = made.add(thread, EventKind::store, location, MemoryOrder::seq_cst);
    made.log().events[event].written = value;
    made.log().events[event].mo_position = made.log().locations[location].modification_order.size() - 1;
    return event;
  }
  EventNumber read(EventNumber write, std::uint64_t pc, LocationNumber location = flag) {
    const EventNumber event = made.read(0, location, MemoryOrder::relaxed, write);
    made.log().events[event].read = made.log().events[write].written;
    made.log().events[event].stack.pcs = {pc};
    return event;
  }
  EventNumber newest(LocationNumber location = flag) const {
    return log().locations[location].modification_order.back();
  }
  const ExecutionLog& log() const { return const_cast<Log&>(made).log(); }
  std::string text() const {
    const auto lost = find_lost_futex(waiter, log());
    return lost ? lost_futex_text(waiter, log(), *lost) : "";
  }

  static constexpr std::uint64_t program = 1, kernel = 2;
  Log made;
  findings::ThreadState waiter;
};

TEST_F(LostFutexTest, AChangeWithoutAWakeUpIsNamed) {
  read(newest(), kernel);
  EXPECT_EQ(text(), "") << "nothing has changed";
  write(1, 7);
  EXPECT_EQ(text(), "T0.1 waits while `ready` is 0; T0.2 stored 7, but no wake-up came to T0.1 after that");
}

TEST_F(LostFutexTest, AValueThatWasNotTestedIsNamed) {
  read(newest(), program);
  read(write(1, 7), kernel);
  EXPECT_EQ(text(),
            "T0.1 waits while `ready` is 7, and no thread is left that wakes it; before, it had read 0, and in "
            "between, T0.2 stored 7");
}

TEST_F(LostFutexTest, LooksOfTheKernelAreNoTests) {
  read(newest(), kernel);
  read(write(1, 7), kernel);
  EXPECT_EQ(text(), "");
}

TEST_F(LostFutexTest, AValueThatCameBackIsNamed) {
  read(newest(), program);
  write(1, 7);
  read(write(1, 0), kernel);
  EXPECT_EQ(text(),
            "T0.1 waits while `ready` is 0; since its access, T0.2 stored 7, and the word changed back before it was "
            "asleep (ABA)");
}

TEST_F(LostFutexTest, AConditionThatWasTestedBeforeTheWordIsNamed) {
  constexpr LocationNumber condition = 2;
  made.log().locations[condition].name = "value";
  read(write(1, 3, condition), program, condition);
  write(1, 4, condition);
  read(write(1, 7), kernel);
  EXPECT_EQ(text(),
            "T0.1 waits while `ready` is 7, which T0.2 stored after it had stored 4 to `value`; T0.1 had read 3 "
            "from `value` before");
}

/// T0.2 reads the old value after T0.1 has written the new one: it could have read earlier.
TEST(LineariseTest, AReadThatCouldHaveComeEarlierIsToldSo) {
  Log made;
  const auto old_write = made.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  const auto new_write = made.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  const auto load = made.read(1, flag, MemoryOrder::relaxed, old_write);
  auto& log = made.log();
  log.events[old_write].mo_position = 0;
  log.events[new_write].mo_position = 1;
  log.events[load].missed = {new_write};
  log.stale_reads = 1;
  const auto order = linearise(log);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(*order, (std::vector<EventNumber>{old_write, load, new_write}));
  EXPECT_EQ(log.stale_reads, 0U);
  EXPECT_FALSE(log.events[1].is_stale());
}

TEST(LineariseTest, StoreBufferingHasNoSequentiallyConsistentOrder) {
  Log made;
  const auto init_x = made.add(0, EventKind::store, data, MemoryOrder::relaxed);
  const auto init_y = made.add(0, EventKind::store, flag, MemoryOrder::relaxed);
  const auto x = made.add(0, EventKind::store, data, MemoryOrder::relaxed);
  made.read(0, flag, MemoryOrder::relaxed, init_y);
  const auto y = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  const auto read_x = made.read(1, data, MemoryOrder::relaxed, init_x);
  auto& log = made.log();
  log.events[init_x].mo_position = log.events[init_y].mo_position = 0;
  log.events[x].mo_position = log.events[y].mo_position = 1;
  log.events[read_x].missed = {x};
  log.stale_reads = 1;
  EXPECT_FALSE(is_sequentially_consistent(log));
  EXPECT_FALSE(linearise(log).has_value());
  EXPECT_EQ(log.stale_reads, 1U);
}

/// T0.1 reads the old value although T0.2 has written the new one and signalled, and begins to wait. The read may come
/// first, but not the wait: the signal would have woken T0.1.
TEST(LineariseTest, AWaitThatMissedASignalStaysBehindIt) {
  Log made;
  constexpr LocationNumber condition = 2, mutex = 3;
  made.log().locations.resize(4);
  made.log().locations[condition].object = "condition variable";
  made.log().locations[mutex].object = "mutex";
  const auto init = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  const auto change = made.add(1, EventKind::store, flag, MemoryOrder::relaxed);
  const auto signal = made.add(1, EventKind::unlock, condition, MemoryOrder::plain);
  const auto lock = made.add(0, EventKind::lock, mutex, MemoryOrder::plain);
  const auto test = made.read(0, flag, MemoryOrder::relaxed, init);
  const auto wait = made.add(0, EventKind::unlock, mutex, MemoryOrder::plain);
  auto& log = made.log();
  log.events[init].mo_position = 0;
  log.events[change].mo_position = 1;
  log.events[signal].operation = "condition signal";
  log.events[test].missed = {change};
  log.stale_reads = 1;
  const std::vector<EventNumber> expected = {init, lock, test, change, signal, wait};
  const ExecutionLog waits_for_ever = log;
  auto order = linearise(log);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(*order, expected);

  // The same wait, which ends later.
  log = waits_for_ever;
  const auto wake_up = made.add(0, EventKind::lock, condition, MemoryOrder::plain);
  log.events[wake_up].operation = "condition wait";
  order = linearise(log);
  ASSERT_TRUE(order.has_value());
  EXPECT_TRUE(std::find(order->begin(), order->end(), signal) < std::find(order->begin(), order->end(), wait));
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
