#include "strategies/pos.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sampling.hpp"
#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {

using graph::EventKind;
using graph::LocationId;
using graph::MemoryOrder;
using graph::ThreadId;

constexpr std::uint64_t runs = 40000;

/// In how many runs does thread 1 wait while thread 0 executes `steps` operations of kind `first` on location 0?
/// Thread 1 is before an operation of kind `second` on `location` all the time.
double waits(std::uint32_t steps, EventKind first, EventKind second, std::uint32_t location, bool yields = false) {
  alignas(16) std::array<std::byte, 1024> memory{};
  base::Arena arena(memory);
  PosStrategy pos(1, arena);
  std::array<PendingOperation, 2> pending{};
  pending[0] = {first, MemoryOrder::relaxed, 0, yields, LocationId{0}};
  pending[1] = {second, MemoryOrder::relaxed, 0, false, LocationId{location}};
  const std::array<Option, 2> options{Option{ThreadId{0}, graph::no_event, 0, &pending[0]},
                                      Option{ThreadId{1}, graph::no_event, 1, &pending[1]}};
  graph::Event event;
  event.kind = first;
  event.location = LocationId{0};
  event.thread = ThreadId{0};
  int count = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    pos.begin_execution(run);
    std::uint32_t done = 0;
    while (done < steps && pos.choose({ChoiceKind::thread, ThreadId{0}, options}) == 0) {
      pos.executed(event);
      ++done;
    }
    count += done == steps;
  }
  return count;
}

/// 5.5 standard deviations; the seed is fixed too.
double margin(double rate) { return 5.5 * std::sqrt(rate * (1 - rate) * runs); }

}  // namespace

// The waiting operation keeps its priority, so it has to be the lowest of 8 once.
TEST(Pos, KeepsThePriorityOfAnOperationThatDoesNotRace) {
  EXPECT_NEAR(waits(7, EventKind::store, EventKind::store, 1), runs / 8.0, margin(1 / 8.0));
  EXPECT_NEAR(waits(7, EventKind::load, EventKind::load, 0), runs / 8.0, margin(1 / 8.0));
}

// It draws anew after each step, so it has to lose 7 times.
TEST(Pos, DrawsAnewForAnOperationThatRaces) {
  EXPECT_NEAR(waits(7, EventKind::store, EventKind::load, 0), runs / 128.0, margin(1 / 128.0));
  EXPECT_NEAR(waits(7, EventKind::load, EventKind::rmw, 0), runs / 128.0, margin(1 / 128.0));
  EXPECT_NEAR(waits(7, EventKind::unlock, EventKind::lock, 0), runs / 128.0, margin(1 / 128.0));
}

TEST(Pos, LetsOthersGoFirstWhenAThreadYields) {
  const double first = 0.5 / static_cast<double>(ignored_yield_odds);  // half of the yields that it ignores
  EXPECT_NEAR(waits(1, EventKind::fence, EventKind::load, 1, true), runs * first, margin(first));
}

TEST(Pos, ExecutionDependsOnSeedAndNumberOnly) {
  for (std::uint64_t number = 0; number < 50; ++number) {
    const auto alone = testing::decisions_of(testing::message_passing(3), "pos", number, false);
    const auto later = testing::decisions_of(testing::message_passing(3), "pos", number, true);
    ASSERT_EQ(alone.size(), later.size());
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].index, later[i].index);
  }
}

TEST(Pos, FindsTheSmallPrograms) {
  for (const auto& test : {testing::store_buffering(), testing::one_reader(5), testing::message_passing()})
    EXPECT_GT(testing::sample(test, "pos", 2000).hits, 0U) << test;
}

TEST(Pos, HasNoParameters) {
  EXPECT_EQ(testing::specification_error("pos"), "");
  EXPECT_EQ(testing::specification_error("pos:d=1"), "pos has no parameters, but was given 'd=1'");
}

}  // namespace heddle::strategies
