#include "campaign/learner.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "campaign/rounds.hpp"

namespace heddle::campaign {

namespace {

using strategies::Lot;
using strategies::Member;
using strategies::PortfolioPlan;

std::size_t index(Member member) { return static_cast<std::size_t>(member); }
const std::uint32_t* news(const PortfolioPlan& plan, Lot lot) { return plan.news[static_cast<std::size_t>(lot)]; }
const std::uint32_t* bugs(const PortfolioPlan& plan, Lot lot) { return plan.bugs[static_cast<std::size_t>(lot)]; }

/// `executions` for every value in use.
Learner::Totals evenly(const PortfolioPlan& plan, std::uint64_t executions) {
  Learner::Totals totals;
  for (std::size_t lot = 0; lot < strategies::lot_count; ++lot)
    for (std::size_t value = 0; value < strategies::most_values; ++value)
      if (plan.news[lot][value] != 0) totals.sums[lot][value].executions = executions;
  return totals;
}

void expect_whole(const PortfolioPlan& plan) {
  for (const auto* shares : {plan.news, plan.bugs})
    for (std::size_t lot = 0; lot < strategies::lot_count; ++lot)
      EXPECT_EQ(std::accumulate(shares[lot], shares[lot] + strategies::most_values, std::uint64_t{0}),
                PortfolioPlan::whole)
          << "lot " << lot;
}

}  // namespace

TEST(Rounds, GrowAndEnd) {
  EXPECT_EQ(round_end(0), 16U);
  EXPECT_EQ(round_end(15), 16U);
  EXPECT_EQ(round_end(16), 24U);
  EXPECT_EQ(round_end(24), 32U);
  EXPECT_EQ(round_end(48), 64U);
  EXPECT_EQ(round_end(1 << 20), std::numeric_limits<std::uint64_t>::max());
  int rounds = 0;
  for (std::uint64_t at = 0; at < (1 << 20); at = round_end(at)) ++rounds;
  EXPECT_LT(rounds, 40);
}

TEST(Learner, GoesWhereTheBugsAre) {
  Learner learner({});
  Learner::Totals totals = evenly(learner.plan(), 100);
  totals.of(Lot::member, index(Member::pctwm)).buggy = 90;
  totals.of(Lot::member, index(Member::random)).buggy = 20;
  totals.of(Lot::pctwm_depth, 0).buggy = 100;
  learner.learn(totals);
  expect_whole(learner.plan());
  EXPECT_GT(learner.plan().for_bugs, PortfolioPlan::whole / 2);
  EXPECT_GT(bugs(learner.plan(), Lot::member)[index(Member::pctwm)], PortfolioPlan::whole * 9 / 10);
  EXPECT_GT(bugs(learner.plan(), Lot::pctwm_depth)[0], PortfolioPlan::whole * 9 / 10);
}

TEST(Learner, JudgesAMemberByTheBestValueOfItsParameters) {
  Learner learner({});
  Learner::Totals totals = evenly(learner.plan(), 100);
  totals.of(Lot::member, index(Member::random)).buggy = 30;  // all of them with switch=1
  totals.of(Lot::switching, 0).buggy = 90;
  totals.of(Lot::member, index(Member::pos)).buggy = 60;
  learner.learn(totals);
  EXPECT_GT(bugs(learner.plan(), Lot::member)[index(Member::random)],
            bugs(learner.plan(), Lot::member)[index(Member::pos)]);
}

TEST(Learner, WithoutBugsGoesWhereTheNewsIs) {
  Learner learner({});
  Learner::Totals totals = evenly(learner.plan(), 100);
  totals.of(Lot::member, index(Member::pos)).graphs = 80;
  learner.learn(totals);
  expect_whole(learner.plan());
  EXPECT_EQ(learner.plan().for_bugs, 0U);
  const std::uint32_t* members = news(learner.plan(), Lot::member);
  EXPECT_GT(members[index(Member::pos)], 2 * members[index(Member::random)]);
  for (std::size_t member = 0; member < strategies::member_count; ++member)
    EXPECT_GT(members[member], PortfolioPlan::whole / 32) << "nobody is given up";
}

TEST(Learner, ANewFindingIsWorthManyGraphs) {
  Learner learner({});
  Learner::Totals totals = evenly(learner.plan(), 100);
  totals.of(Lot::member, index(Member::random)).graphs = 20;
  totals.of(Lot::member, index(Member::pct)).findings = 1;
  learner.learn(totals);
  EXPECT_GT(news(learner.plan(), Lot::member)[index(Member::pct)],
            news(learner.plan(), Lot::member)[index(Member::random)]);
}

TEST(Learner, ForgetsWhatWasNewLongAgo) {
  Learner learner({});
  Learner::Totals totals = evenly(learner.plan(), 100);
  totals.of(Lot::member, index(Member::pos)).graphs = 100;
  learner.learn(totals);
  const std::uint32_t then = news(learner.plan(), Lot::member)[index(Member::pos)];
  for (int round = 0; round < 6; ++round) {
    for (auto& lot : totals.sums)
      for (auto& sums : lot)
        if (sums.executions != 0) sums.executions += 100;
    learner.learn(totals);
  }
  EXPECT_LT(news(learner.plan(), Lot::member)[index(Member::pos)], then);
}

TEST(Learner, GoesDeeperAsLongAsThatPays) {
  Learner learner({Member::pctwm, {}, {}, {}});
  const auto deepest = [&] {
    std::size_t value = strategies::most_values - 1;
    while (news(learner.plan(), Lot::pctwm_depth)[value] == 0) --value;
    return value;
  };
  const std::size_t before = deepest();
  Learner::Totals totals = evenly(learner.plan(), 100);
  learner.learn(totals);
  const std::size_t unpaid = deepest();
  totals.of(Lot::pctwm_depth, unpaid).executions = 200;
  totals.of(Lot::pctwm_depth, unpaid).graphs = 100;
  learner.learn(totals);
  EXPECT_EQ(deepest(), unpaid + 1);
  EXPECT_GE(unpaid, before);
  expect_whole(learner.plan());
}

TEST(Learner, LearnsTheUsualLengthAndTheLongest) {
  Learner learner({Member::pct, {}, {}, {}});
  Learner::Totals totals = evenly(learner.plan(), 100);
  auto& lengths = totals.lengths[index(Member::pct)];
  lengths.executions[strategies::length_class(20)] = 95;
  lengths.executions[strategies::length_class(3000)] = 5;  // somebody waited
  lengths.longest = 3000;
  learner.learn(totals);
  EXPECT_GE(learner.plan().length.usual, 20U);
  EXPECT_LE(learner.plan().length.usual, 25U);
  EXPECT_EQ(learner.plan().length.longest, 3000U);
  EXPECT_EQ(learner.plan().communications.usual, 0U);
}

TEST(GraphSet, CountsEachGraphOnceForItsFirstExecution) {
  GraphSet graphs;
  const auto first = graphs.add({{7, 3}, {5, 2}, {7, 1}});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].execution, 2U);
  EXPECT_EQ(first[1].execution, 1U);
  const auto second = graphs.add({{7, 9}, {6, 8}});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].hash, 6U);
  EXPECT_EQ(graphs.size(), 3U);
}

}  // namespace heddle::campaign
