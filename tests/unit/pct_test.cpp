// Where a rate is compared with a bound, the bound is moved by 5.5 standard deviations of the sample, so that a
// correct strategy fails with a probability below 1e-7 for a seed drawn at random; and the seed is fixed.
#include "strategies/pct.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "sampling.hpp"
#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {

using graph::EventKind;
using graph::MemoryOrder;
using graph::ThreadId;
using testing::decisions_of;
using testing::message_passing;
using testing::one_reader;
using testing::sample;
using testing::specification_error;

double margin(double rate, std::uint64_t executions) {
  return 5.5 * std::sqrt(rate * (1 - rate) / static_cast<double>(executions));
}

class Pct : public ::testing::Test {
 protected:
  static constexpr std::uint32_t threads = 4;

  Pct() {
    for (std::uint32_t i = 0; i < threads; ++i) {
      pending[i] = {EventKind::load, MemoryOrder::relaxed};
      options[i] = {ThreadId{i}, graph::no_event, i, &pending[i]};
    }
  }
  /// One step of the thread that is chosen among the first `count` threads.
  std::uint32_t step(PctStrategy& pct, std::uint32_t count = threads) {
    const std::uint32_t chosen = pct.choose({ChoiceKind::thread, current, std::span(options).first(count)});
    current = ThreadId{chosen};
    if (!pending[chosen].yields) {
      graph::Event event;
      event.thread = current;
      pct.executed(event);
    }
    return chosen;
  }

  std::array<PendingOperation, threads> pending{};
  std::array<Option, threads> options{};
  ThreadId current = graph::no_thread;
  alignas(16) std::array<std::byte, 4096> memory{};
  base::Arena arena{memory};
};

}  // namespace

// The reader has m writes to choose from, the initial one among them, so m - 1 are stores of the program.
TEST(PctGuarantee, FindsTheLastOfMWritesAtLeastOnceIn2M) {
  for (const int m : {2, 5, 20}) {
    const double bound = 1.0 / (2 * m);
    const auto seen = sample(one_reader(m - 1), "pct:d=1,k=" + std::to_string(m), 20000);
    EXPECT_GE(seen.rate(), bound - margin(bound, seen.executions)) << m;
  }
}

TEST(PctGuarantee, FallsWithInsertedRelaxedWrites) {
  const double with_10 = sample(message_passing(10), "pct:d=2,k=15", 20000).rate();
  const double with_100 = sample(message_passing(100), "pct:d=2,k=105", 20000).rate();
  EXPECT_GT(with_10, 5 * with_100);
}

TEST_F(Pct, WithoutChangePointsRunsThreadsOneAfterTheOther) {
  PctStrategy pct(1, {1, 100}, arena);
  pct.begin_execution(0);
  const std::uint32_t first = step(pct);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(step(pct), first);
}

TEST_F(Pct, GivesEveryThreadTheFirstPlaceEquallyOften) {
  PctStrategy pct(1, {1, 100}, arena);
  std::array<int, threads> first{};
  for (std::uint64_t run = 0; run < 40000; ++run) {
    pct.begin_execution(run);
    current = graph::no_thread;
    ++first[step(pct)];
  }
  for (const int count : first) EXPECT_NEAR(count, 10000, 480);  // 5.5 standard deviations
}

TEST_F(Pct, GivesANewThreadARandomPlaceAmongTheOthers) {
  PctStrategy pct(1, {1, 100}, arena);
  int taken = 0;
  for (std::uint64_t run = 0; run < 40000; ++run) {
    pct.begin_execution(run);
    current = graph::no_thread;
    step(pct, threads - 1);
    taken += step(pct) == threads - 1;
  }
  EXPECT_NEAR(taken, 10000, 480);
}

TEST_F(Pct, LeavesAThreadAtAChangePointAndNeverComesBack) {
  PctStrategy pct(1, {2, 10}, arena);
  for (std::uint64_t run = 0; run < 100; ++run) {
    pct.begin_execution(run);
    current = graph::no_thread;
    const std::uint32_t point = pct.schedule().points()[0];
    std::array<std::uint32_t, 20> order{};
    for (auto& chosen : order) chosen = step(pct);
    for (std::uint32_t i = 1; i < order.size(); ++i)
      EXPECT_EQ(order[i] != order[i - 1], i == point - 1) << "run " << run << ", step " << i;
  }
}

TEST_F(Pct, CountsAccessesFencesAndLocksOnly) {
  PctStrategy pct(1, {1, 100}, arena);
  pct.begin_execution(0);
  graph::Event event;
  event.thread = ThreadId{0};
  for (const EventKind kind :
       {EventKind::load, EventKind::store, EventKind::rmw, EventKind::fence, EventKind::lock, EventKind::unlock,
        EventKind::create, EventKind::start, EventKind::join, EventKind::finish}) {
    event.kind = kind;
    pct.executed(event);
  }
  EXPECT_EQ(pct.schedule().counted(), 6U);
}

TEST_F(Pct, DrawsChangePointsAnewForEveryExecution) {
  PctStrategy pct(1, {3, 50}, arena);
  std::set<std::pair<std::uint32_t, std::uint32_t>> drawn;
  std::array<int, 51> often{};
  for (std::uint64_t run = 0; run < 20000; ++run) {
    pct.begin_execution(run);
    const auto points = pct.schedule().points();
    ASSERT_EQ(points.size(), 2U);
    EXPECT_NE(points[0], points[1]);
    drawn.insert({points[0], points[1]});
    for (const std::uint32_t point : points) ++often[point];
  }
  EXPECT_GT(drawn.size(), 2430U);  // of 2450 pairs, 0.7 are missed on average
  EXPECT_EQ(often[0], 0);
  for (std::size_t point = 1; point <= 50; ++point) EXPECT_NEAR(often[point], 800, 160);
}

TEST_F(Pct, WithoutLengthDrawsPointsOfEveryScaleMostlyEarly) {
  PctStrategy pct(1, {2, {}}, arena);
  std::array<int, 13> of_scale{};
  for (std::uint64_t run = 0; run < 20000; ++run) {
    pct.begin_execution(run);
    const std::uint32_t point = pct.schedule().points()[0];
    ASSERT_GE(point, 1U);
    ASSERT_LE(point, 4096U);
    ++of_scale[static_cast<std::size_t>(std::bit_width(point - 1))];
  }
  for (std::size_t scale = 4; scale < 12; ++scale) EXPECT_GT(of_scale[scale], of_scale[scale + 1]) << scale;
  EXPECT_GT(of_scale[12], 0);
}

TEST_F(Pct, PutsAThreadThatYieldsBehindTheOthers) {
  PctStrategy pct(1, {1, 100}, arena);
  pending[0].yields = pending[1].yields = true;
  int again = 0;
  for (std::uint64_t run = 0; run < 1000; ++run) {
    pct.begin_execution(run);
    current = graph::no_thread;
    std::uint32_t last = step(pct, 2);
    for (int i = 0; i < 10; ++i) {
      const std::uint32_t next = step(pct, 2);
      again += next == last;
      last = next;
    }
  }
  const double ignored = 1 / static_cast<double>(ignored_yield_odds);
  EXPECT_NEAR(again, 10000 * ignored, 10000 * margin(ignored, 10000));
}

TEST_F(Pct, EscapesFromAThreadThatNeverLetsOthersRun) {
  PctStrategy pct(1, {1, 100}, arena);
  pct.begin_execution(0);
  std::set<std::uint32_t> ran;
  for (int i = 0; i < 100000; ++i) ran.insert(step(pct));
  EXPECT_EQ(ran.size(), threads);
  // The first escape comes after 16 times the length, the others after the least patience.
  EXPECT_EQ(pct.schedule().escapes(), 1 + (100000 - (16 * 100 + 1)) / (1024 + 1));
  pct.begin_execution(1);
  EXPECT_GT(pct.schedule().escapes(), 0U) << "escapes are counted over all executions";
}

TEST_F(Pct, PatienceDoesNotGrowWithTheLengthWithoutEnd) {
  PctStrategy pct(1, {1, 1'000'000}, arena);
  pct.begin_execution(0);
  std::set<std::uint32_t> ran;
  for (int i = 0; i < 100000; ++i) ran.insert(step(pct));
  EXPECT_GE(pct.schedule().escapes(), threads);
}

TEST(PctExecution, DependsOnSeedAndNumberOnly) {
  for (const char* strategy : {"pct:d=3,k=6", "pct", "pct:d=2", "pct:k=9"})
    for (std::uint64_t number = 0; number < 50; ++number) {
      const auto alone = decisions_of(message_passing(), strategy, number, false);
      const auto later = decisions_of(message_passing(), strategy, number, true);
      ASSERT_EQ(alone.size(), later.size());
      for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].index, later[i].index);
    }
}

TEST(PctSpecification, TakesDAndKOrDrawsThem) {
  for (const char* right : {"pct", "pct:d=1", "pct:k=1", "pct:d=3,k=50", "pct:d=32", "pct:d=2,k=2"})
    EXPECT_EQ(specification_error(right), "") << right;
}

TEST(PctSpecification, SaysWhatIsWrong) {
  EXPECT_EQ(specification_error("pct:d=-1"), "d=-1: this is not a whole number from 1 to 32");
  EXPECT_EQ(specification_error("pct:d=0"), "d=0: this is not a whole number from 1 to 32");
  EXPECT_EQ(specification_error("pct:k=abc"), "k=abc: this is not a whole number from 1 to 1000000000");
  EXPECT_EQ(specification_error("pct:d=3,k=2"), "d=3 is larger than k=2: there are no 3 events to draw");
  EXPECT_EQ(specification_error("pct:h=1"), "pct has no parameter 'h'; it has: d, k");
  for (const char* wrong : {"pct:d", "pct:d=", "pct:=1", "pct:d=1.5", "pct:k=0", "pct:d=33", "pct:k=4294967297",
                            "pct:k=18446744073709551617", "pct:d= 1", "pct:,d=1"})
    EXPECT_NE(specification_error(wrong), "") << wrong;
}

}  // namespace heddle::strategies
