#include "strategies/portfolio.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "sampling.hpp"

namespace heddle::strategies {

namespace {

using testing::decisions_of;
using testing::draw_of;
using testing::sample;
using testing::scope_of;
using testing::specification_error;
using testing::store_buffering;
using testing::strategy_index;

/// How often each strategy is drawn in the executions from `first` on.
std::array<int, most_strategies> turns(const PortfolioPlan& plan, std::uint64_t seed, std::uint64_t first, int count) {
  std::array<int, most_strategies> result{};
  for (int i = 0; i < count; ++i)
    ++result[assign(plan, PortfolioScope(), seed, first + static_cast<std::uint64_t>(i)).strategy()];
  return result;
}

}  // namespace

TEST(PortfolioPlan, SharesOfEveryDrawSumUpToTheWhole) {
  const PortfolioPlan plan = first_plan(PortfolioScope());
  for (std::size_t draw = 0; draw < PortfolioScope().draws().size(); ++draw) {
    std::uint32_t sum = 0;
    for (const std::uint32_t share : plan.news[draw]) sum += share;
    EXPECT_EQ(sum, PortfolioPlan::whole);
  }
}

TEST(PortfolioPlan, EveryStretchOfExecutionsIsCloseToTheShares) {
  const PortfolioPlan plan = first_plan(PortfolioScope());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::uint64_t first : {0U, 16U, 1000U}) {
      const auto drawn = turns(plan, seed, first, 32);
      for (std::size_t member = 0; member < registered_strategies().size(); ++member) {
        const double expected = 32.0 * plan.news[strategy_draw][member] / PortfolioPlan::whole;
        EXPECT_NEAR(drawn[member], expected, 3) << "seed " << seed << ", strategy " << member;
      }
    }
  }
}

TEST(PortfolioPlan, DrawsParametersOfTheMemberInTurnOnly) {
  const PortfolioPlan plan = first_plan(PortfolioScope());
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const Assignment drawn = assign(plan, PortfolioScope(), 7, number);
    for (std::size_t i = 1; i < PortfolioScope().draws().size(); ++i) {
      const bool concerned = PortfolioScope().draws()[i].strategy == drawn.strategy();
      EXPECT_EQ(drawn.values[i] != Assignment::unused, concerned);
      if (concerned) {
        EXPECT_NE(plan.news[i][drawn.values[i]], 0U);
      }
    }
  }
}

TEST(PortfolioPlan, LeavesAloneWhatTheUserFixed) {
  const PortfolioScope scope = scope_of("pctwm:d=2");
  for (std::uint64_t number = 0; number < 200; ++number) {
    const Assignment drawn = assign(first_plan(scope), scope, 1, number);
    EXPECT_EQ(drawn.strategy(), strategy_index("pctwm"));
    EXPECT_EQ(drawn.values[draw_of("pctwm", "d")], Assignment::unused);
    EXPECT_LT(drawn.values[draw_of("pctwm", "h")], 4);
    EXPECT_EQ(*parameters_of(first_plan(scope), scope, drawn)[0], 2);
  }
}

TEST(PortfolioPlan, ExecutionsForBugsDrawFromTheirOwnShares) {
  PortfolioPlan plan = first_plan(PortfolioScope());
  for (std::uint32_t& share : plan.bugs[strategy_draw]) share = 0;
  plan.bugs[strategy_draw][strategy_index("pos")] = PortfolioPlan::whole;
  plan.for_bugs = PortfolioPlan::whole;
  EXPECT_EQ(turns(plan, 1, 0, 100)[strategy_index("pos")], 100);
}

TEST(LengthClasses, CoverEveryLengthInOrder) {
  std::size_t last = 0;
  for (std::uint32_t length = 1; length < 100'000; ++length) {
    const std::size_t found = length_class(length);
    EXPECT_TRUE(found == last || found == last + 1) << length;
    EXPECT_GE(longest_of_class(found), length);
    EXPECT_LE(longest_of_class(found), length + length / 4);
    last = found;
  }
  EXPECT_LT(length_class(0xffffffffU), length_classes);
  EXPECT_EQ(longest_of_class(length_class(0xffffffffU)), 0xffffffffU);
}

TEST(Portfolio, UsesWhatItsPlanSays) {
  alignas(std::max_align_t) static std::byte memory[16384];
  base::Arena arena(memory);
  const PortfolioScope scope = scope_of("pctwm");
  Portfolio portfolio(1, scope, arena);
  PortfolioPlan plan = first_plan(scope);
  for (std::uint32_t& share : plan.news[draw_of("pctwm", "d")]) share = 0;
  plan.news[draw_of("pctwm", "d")][5] = PortfolioPlan::whole;
  plan.lengths[strategy_index("pctwm")] = {3, 3};  // shorter than d: there are no five events to draw
  portfolio.use(plan);
  EXPECT_TRUE(portfolio.begin_execution(0));
  EXPECT_EQ(portfolio.facets().portfolio, &portfolio);
}

TEST(Portfolio, AnExecutionDoesNotDependOnThoseBefore) {
  for (const char* strategy : {"auto", "pct", "pctwm", "pctwm:d=2"})
    for (const std::uint64_t number : {3U, 17U, 40U}) {
      const auto alone = decisions_of(store_buffering(), strategy, number, false);
      const auto after = decisions_of(store_buffering(), strategy, number, true);
      ASSERT_EQ(alone.size(), after.size()) << strategy;
      for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].index, after[i].index) << strategy;
    }
}

// What a trace names as its strategy is what the portfolio did.
TEST(Portfolio, AnExecutionIsThatOfItsSpecification) {
  alignas(std::max_align_t) static std::byte memory[1 << 16];
  for (const char* strategy : {"auto", "pct", "pctwm:d=2"}) {
    base::Arena arena(memory);
    // The seed and the plan of decisions_of.
    const Portfolio portfolio(1, scope_of(strategy), arena);
    for (std::uint64_t number = 0; number < 64; ++number) {
      const SpecificationText used = portfolio.specification_of(number).to_text();
      const auto drawn = decisions_of(store_buffering(), strategy, number, false);
      const auto alone = decisions_of(store_buffering(), used.text, number, false);
      ASSERT_EQ(drawn.size(), alone.size()) << used.text;
      for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i].index, alone[i].index) << used.text;
    }
  }
}

TEST(Portfolio, TakesNoParameters) {
  EXPECT_EQ(specification_error("auto"), "");
  EXPECT_EQ(specification_error("auto:d=3"), "auto finds its parameters by itself, but was given 'd=3'");
}

// Every member shows it at least one time in five; the chance that 2,000 executions show it less than 300 times is
// below 1e-8, and the seed is fixed.
TEST(Portfolio, ShowsStoreBuffering) { EXPECT_GT(sample(store_buffering(), "auto", 2000).hits, 300U); }

}  // namespace heddle::strategies
