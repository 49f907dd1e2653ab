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
using testing::sample;
using testing::specification_error;
using testing::store_buffering;

std::size_t index(Lot lot) { return static_cast<std::size_t>(lot); }

/// How often each member is drawn in the executions from `first` on.
std::array<int, member_count> turns(const PortfolioPlan& plan, std::uint64_t seed, std::uint64_t first, int count) {
  std::array<int, member_count> result{};
  for (int i = 0; i < count; ++i)
    ++result[assign(plan, {}, seed, first + static_cast<std::uint64_t>(i)).of(Lot::member)];
  return result;
}

}  // namespace

TEST(PortfolioPlan, SharesOfEveryLotSumUpToTheWhole) {
  const PortfolioPlan plan = first_plan({});
  for (const auto& lot : plan.news) {
    std::uint32_t sum = 0;
    for (const std::uint32_t share : lot) sum += share;
    EXPECT_EQ(sum, PortfolioPlan::whole);
  }
}

TEST(PortfolioPlan, EveryStretchOfExecutionsIsCloseToTheShares) {
  const PortfolioPlan plan = first_plan({});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::uint64_t first : {0U, 16U, 1000U}) {
      const auto drawn = turns(plan, seed, first, 32);
      for (std::size_t member = 0; member < member_count; ++member) {
        const double expected = 32.0 * plan.news[index(Lot::member)][member] / PortfolioPlan::whole;
        EXPECT_NEAR(drawn[member], expected, 3) << "seed " << seed << ", member " << member;
      }
    }
  }
}

TEST(PortfolioPlan, DrawsParametersOfTheMemberInTurnOnly) {
  const PortfolioPlan plan = first_plan({});
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const Assignment drawn = assign(plan, {}, 7, number);
    for (std::size_t i = 1; i < lot_count; ++i) {
      const bool concerned = static_cast<std::size_t>(*member_of(static_cast<Lot>(i))) == drawn.of(Lot::member);
      EXPECT_EQ(drawn.values[i] != Assignment::unused, concerned);
      if (concerned) {
        EXPECT_NE(plan.news[i][drawn.values[i]], 0U);
      }
    }
  }
}

TEST(PortfolioPlan, LeavesAloneWhatTheUserFixed) {
  const PortfolioScope scope{Member::pctwm, 2, {}, {}};
  for (std::uint64_t number = 0; number < 200; ++number) {
    const Assignment drawn = assign(first_plan(scope), scope, 1, number);
    EXPECT_EQ(static_cast<Member>(drawn.of(Lot::member)), Member::pctwm);
    EXPECT_EQ(drawn.of(Lot::pctwm_depth), Assignment::unused);
    EXPECT_LT(drawn.of(Lot::history), most_history);
  }
}

TEST(PortfolioPlan, ExecutionsForBugsDrawFromTheirOwnShares) {
  PortfolioPlan plan = first_plan({});
  for (std::uint32_t& share : plan.bugs[index(Lot::member)]) share = 0;
  plan.bugs[index(Lot::member)][static_cast<std::size_t>(Member::pos)] = PortfolioPlan::whole;
  plan.for_bugs = PortfolioPlan::whole;
  EXPECT_EQ(turns(plan, 1, 0, 100)[static_cast<std::size_t>(Member::pos)], 100);
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
  PortfolioScope scope{Member::pctwm, {}, {}, {}};
  Portfolio portfolio(1, scope, arena);
  PortfolioPlan plan = first_plan(scope);
  for (std::uint32_t& share : plan.news[index(Lot::pctwm_depth)]) share = 0;
  plan.news[index(Lot::pctwm_depth)][5] = PortfolioPlan::whole;
  plan.communications = {3, 3};  // shorter than d: there are no five events to draw
  portfolio.use(plan);
  EXPECT_TRUE(portfolio.begin_execution(0));
  EXPECT_EQ(portfolio.portfolio(), &portfolio);
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
    SpecificationError error;
    // The seed and the plan of decisions_of.
    const Portfolio& portfolio = *make_strategy(strategy, 1, arena, error)->portfolio();
    for (std::uint64_t number = 0; number < 64; ++number) {
      const Specification used = portfolio.specification_of(number);
      const auto drawn = decisions_of(store_buffering(), strategy, number, false);
      const auto alone = decisions_of(store_buffering(), used.text, number, false);
      ASSERT_EQ(drawn.size(), alone.size()) << used.text;
      for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i].index, alone[i].index) << used.text;
    }
  }
}

TEST(Portfolio, SpecificationsSayWhatMattersToTheMember) {
  const auto text = [](const MemberParameters& parameters) { return std::string(specification_of(parameters).text); };
  EXPECT_EQ(text({Member::random, 1, 0, {}, 1}), "random");
  EXPECT_EQ(text({Member::random, 0.05, 0, {}, 1}), "random:switch=0.05");
  EXPECT_EQ(text({Member::pct, 1, 3, 20, 1}), "pct:d=3,k=20");
  EXPECT_EQ(text({Member::pctwm, 1, 0, {}, 4}), "pctwm:d=0,h=4");
  EXPECT_EQ(text({Member::pctwm, 1, 32, 1'000'000'000, 1'000'000'000}), "pctwm:d=32,k=1000000000,h=1000000000");
  EXPECT_EQ(text({Member::pos, 1, 0, {}, 1}), "pos");
}

TEST(Portfolio, TakesNoParameters) {
  EXPECT_EQ(specification_error("auto"), "");
  EXPECT_EQ(specification_error("auto:d=3"), "auto finds its parameters by itself, but was given 'd=3'");
}

// Every member shows it at least one time in five; the chance that 2,000 executions show it less than 300 times is
// below 1e-8, and the seed is fixed.
TEST(Portfolio, ShowsStoreBuffering) { EXPECT_GT(sample(store_buffering(), "auto", 2000).hits, 300U); }

}  // namespace heddle::strategies
