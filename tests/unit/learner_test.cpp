#include "strategies/learner.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "sampling.hpp"
#include "strategies/local_rounds.hpp"

namespace heddle::strategies {

namespace {

using testing::draw_of;
using testing::scope_of;
using testing::strategy_index;

/// `executions` for every value in use.
Totals evenly(const PortfolioPlan& plan, std::uint64_t executions) {
  Totals totals;
  for (std::size_t draw = 0; draw < most_draws; ++draw)
    for (std::size_t value = 0; value < most_values; ++value)
      if (plan.news[draw][value] != 0) totals.sums[draw][value].executions = executions;
  return totals;
}

void expect_whole(const PortfolioPlan& plan) {
  for (const auto* shares : {plan.news, plan.bugs})
    for (std::size_t draw = 0; draw < PortfolioScope().draws().size(); ++draw)
      EXPECT_EQ(std::accumulate(shares[draw], shares[draw] + most_values, std::uint64_t{0}), PortfolioPlan::whole)
          << "draw " << draw;
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

TEST(Totals, DoNotDependOnHowExecutionsAreSharedByWorkers) {
  const PortfolioPlan plan = first_plan(PortfolioScope());
  Totals alone, parts[3], together;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const Assignment drawn = assign(plan, PortfolioScope(), 1, number);
    const auto length = static_cast<std::uint32_t>(number % 50);
    for (Totals* totals : {&alone, &parts[number % 3]}) {
      totals->add_execution(drawn, number % 7 == 0, {.length = length});
      if (number % 5 == 0) totals->add(drawn, &Totals::Sums::graphs);
    }
  }
  for (const Totals& part : parts) together += part;
  EXPECT_EQ(std::memcmp(&alone, &together, sizeof alone), 0);
  std::uint64_t executions = 0, buggy = 0, graphs = 0;
  for (const Totals::Sums& sums : alone.sums[strategy_draw]) {
    executions += sums.executions;
    buggy += sums.buggy;
    graphs += sums.graphs;
  }
  EXPECT_EQ(executions, 1000U);
  EXPECT_EQ(buggy, 143U);
  EXPECT_EQ(graphs, 200U);
  EXPECT_EQ(alone.lengths[strategy_index("pct")].longest, 49U);
}

// The distance counts as e to the minus its square over the variance: pinned at a distance of one deviation.
TEST(Learner, WhatIsWorseByADeviationGetsOneEthOfTheBest) {
  Learner learner{PortfolioScope()};
  Totals totals = evenly(learner.plan(), 10'000'000);
  // Both rates are near to one half, with a variance of 1/4 over 10^7 each: the deviation of the difference is 1/4472.
  totals.sums[draw_of("random", "switch")][0].buggy = 5'000'000;
  totals.sums[draw_of("random", "switch")][1].buggy = 5'000'000 - 2236;
  learner.learn(totals);
  const std::uint32_t* shares = learner.plan().bugs[draw_of("random", "switch")];
  EXPECT_NEAR(static_cast<double>(shares[1]) / shares[0], 0.36788, 1e-3);
  EXPECT_LE(shares[2] + shares[3], 1U);
}

TEST(LocalRounds, MakeThePlansThatTheDriverWouldMake) {
  alignas(std::max_align_t) static std::byte memory[1 << 16];
  base::Arena arena(memory);
  Portfolio portfolio(1, PortfolioScope(), arena);
  Totals totals;
  LocalRounds local(portfolio, totals, 0);
  Learner driver{PortfolioScope()};
  Totals sums;
  int rounds = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    if (local.begin_execution(number)) {
      ++rounds;
      driver.learn(sums);
      ASSERT_EQ(std::memcmp(&local.plan(), &driver.plan(), sizeof(PortfolioPlan)), 0) << number;
    }
    portfolio.begin_execution(number);
    const Assignment drawn = assign(driver.plan(), PortfolioScope(), 1, number);
    ASSERT_EQ(portfolio.assignment_of(number).strategy(), drawn.strategy());
    const bool is_buggy = drawn.strategy() == strategy_index("pct") && number % 3 == 0;
    local.add_execution(number, is_buggy);
    local.add_news(number, number % 4, 0);
    sums.add_execution(drawn, is_buggy, {});
    sums.add(drawn, &Totals::Sums::graphs, number % 4);
  }
  EXPECT_EQ(rounds, 12);
  EXPECT_GT(driver.plan().bugs[strategy_draw][strategy_index("pct")], PortfolioPlan::whole / 2);
}

TEST(Learner, GoesWhereTheBugsAre) {
  Learner learner{PortfolioScope()};
  Totals totals = evenly(learner.plan(), 100);
  totals.sums[strategy_draw][strategy_index("pctwm")].buggy = 90;
  totals.sums[strategy_draw][strategy_index("random")].buggy = 20;
  totals.sums[draw_of("pctwm", "d")][0].buggy = 100;
  learner.learn(totals);
  expect_whole(learner.plan());
  EXPECT_GT(learner.plan().for_bugs, PortfolioPlan::whole / 2);
  EXPECT_GT(learner.plan().bugs[strategy_draw][strategy_index("pctwm")], PortfolioPlan::whole * 9 / 10);
  EXPECT_GT(learner.plan().bugs[draw_of("pctwm", "d")][0], PortfolioPlan::whole * 9 / 10);
}

TEST(Learner, JudgesAMemberByTheBestValueOfItsParameters) {
  Learner learner{PortfolioScope()};
  Totals totals = evenly(learner.plan(), 100);
  totals.sums[strategy_draw][strategy_index("random")].buggy = 30;  // all of them with switch=1
  totals.sums[draw_of("random", "switch")][0].buggy = 90;
  totals.sums[strategy_draw][strategy_index("pos")].buggy = 60;
  learner.learn(totals);
  EXPECT_GT(learner.plan().bugs[strategy_draw][strategy_index("random")],
            learner.plan().bugs[strategy_draw][strategy_index("pos")]);
}

TEST(Learner, WithoutBugsGoesWhereTheNewsIs) {
  Learner learner{PortfolioScope()};
  Totals totals = evenly(learner.plan(), 100);
  totals.sums[strategy_draw][strategy_index("pos")].graphs = 80;
  learner.learn(totals);
  expect_whole(learner.plan());
  EXPECT_EQ(learner.plan().for_bugs, 0U);
  const std::uint32_t* members = learner.plan().news[strategy_draw];
  EXPECT_GT(members[strategy_index("pos")], 2 * members[strategy_index("random")]);
  for (std::size_t member = 0; member < automatic_strategies(); ++member)
    EXPECT_GT(members[member], PortfolioPlan::whole / 32) << "no strategy is given up";
}

TEST(Learner, ANewFindingIsWorthManyGraphs) {
  Learner learner{PortfolioScope()};
  Totals totals = evenly(learner.plan(), 100);
  totals.sums[strategy_draw][strategy_index("random")].graphs = 20;
  totals.sums[strategy_draw][strategy_index("pct")].findings = 1;
  learner.learn(totals);
  EXPECT_GT(learner.plan().news[strategy_draw][strategy_index("pct")],
            learner.plan().news[strategy_draw][strategy_index("random")]);
}

TEST(Learner, ForgetsWhatWasNewLongAgo) {
  Learner learner{PortfolioScope()};
  Totals totals = evenly(learner.plan(), 100);
  totals.sums[strategy_draw][strategy_index("pos")].graphs = 100;
  learner.learn(totals);
  const std::uint32_t then = learner.plan().news[strategy_draw][strategy_index("pos")];
  for (int round = 0; round < 6; ++round) {
    for (auto& draw : totals.sums)
      for (auto& sums : draw)
        if (sums.executions != 0) sums.executions += 100;
    learner.learn(totals);
  }
  EXPECT_LT(learner.plan().news[strategy_draw][strategy_index("pos")], then);
}

TEST(Learner, GoesDeeperAsLongAsThatPays) {
  Learner learner(scope_of("pctwm"));
  const auto deepest = [&] {
    std::size_t value = most_values - 1;
    while (learner.plan().news[draw_of("pctwm", "d")][value] == 0) --value;
    return value;
  };
  const std::size_t before = deepest();
  Totals totals = evenly(learner.plan(), 100);
  learner.learn(totals);
  const std::size_t unpaid = deepest();
  totals.sums[draw_of("pctwm", "d")][unpaid].executions = 200;
  totals.sums[draw_of("pctwm", "d")][unpaid].graphs = 100;
  learner.learn(totals);
  EXPECT_EQ(deepest(), unpaid + 1);
  EXPECT_GE(unpaid, before);
  expect_whole(learner.plan());
}

TEST(Learner, GoesNoDeeperThanExecutionsAreLong) {
  Learner learner(scope_of("pctwm"));
  const auto depths = [&] {
    std::size_t values = 0;
    while (values < most_values && learner.plan().news[draw_of("pctwm", "d")][values] != 0) ++values;
    return values;
  };
  Totals totals = evenly(learner.plan(), 100);
  auto& lengths = totals.lengths[strategy_index("pctwm")];
  lengths.executions[length_class(2)] = 100;
  lengths.longest = 2;
  for (int round = 0; round < 5; ++round) learner.learn(totals);
  EXPECT_EQ(depths(), 3U) << "0, 1 and 2";
  expect_whole(learner.plan());
  lengths.longest = 5;  // what was left out comes back
  learner.learn(totals);
  EXPECT_EQ(depths(), 6U);
  lengths.longest = 1000;
  for (int round = 0; round < 20; ++round) {
    for (auto& sums : totals.sums[draw_of("pctwm", "d")]) sums.executions += 100;
    totals.sums[draw_of("pctwm", "d")][depths() - 1].graphs += 100;
    learner.learn(totals);
  }
  EXPECT_EQ(depths(), most_values);
}

TEST(Learner, LearnsTheUsualLengthAndTheLongest) {
  Learner learner(scope_of("pct"));
  Totals totals = evenly(learner.plan(), 100);
  auto& lengths = totals.lengths[strategy_index("pct")];
  lengths.executions[length_class(20)] = 95;
  lengths.executions[length_class(3000)] = 5;  // a thread polled
  lengths.longest = 3000;
  learner.learn(totals);
  EXPECT_GE(learner.plan().lengths[strategy_index("pct")].usual, 20U);
  EXPECT_LE(learner.plan().lengths[strategy_index("pct")].usual, 25U);
  EXPECT_EQ(learner.plan().lengths[strategy_index("pct")].longest, 3000U);
  EXPECT_EQ(learner.plan().lengths[strategy_index("pctwm")].usual, 0U);
}

}  // namespace heddle::strategies
