#include "strategies/search_budget.hpp"

#include <gtest/gtest.h>

#include "strategies/strategy_specification.hpp"

namespace heddle::strategies {

namespace {

/// The number of runs after which a search ends; `explored` is a function of the number of runs.
template <typename Explored>
std::uint64_t runs_of(std::uint64_t most_runs, Explored explored) {
  SearchPace pace(SearchStage::short_search, most_runs);
  std::uint64_t runs = 1;
  while (pace.continues({10, 0}, explored(runs))) ++runs;
  return runs;
}

/// The same of a long search, where a run has 128 events with what it takes to start it.
std::uint64_t long_runs_of(std::uint64_t most_runs, const auto& explored) {
  SearchPace pace(SearchStage::long_search, most_runs);
  std::uint64_t runs = 1;
  while (pace.continues({96, 0}, explored(runs))) ++runs;
  return runs;
}

}  // namespace

TEST(SearchBudget, TheSearchOfAutoIsASpecification) {
  for (const bool has_store_buffers : {false, true}) {
    SpecificationError error;
    const auto specification = parse_strategy(search_of_auto(has_store_buffers), error);
    ASSERT_TRUE(specification) << error.text;
    EXPECT_TRUE(specification->is_exhaustive());
    EXPECT_EQ(specification->bounds().weak, 1U);
  }
}

TEST(SearchBudget, TheSearchOfAutoTakesTheParametersThatAProgramNeeds) {
  const auto ordered = search_with(search_of_auto(false), "arrivals");
  ASSERT_TRUE(ordered);
  EXPECT_EQ(ordered->bounds().arrivals, 1U);
  EXPECT_EQ(ordered->bounds().weak, 1U);
  const auto both = search_with(ordered->to_text().text, "undone");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->bounds().arrivals, 1U);
  EXPECT_EQ(both->bounds().undone, 1U);
  EXPECT_FALSE(search_with(both->to_text().text, "undone")) << "it has the parameter";
  EXPECT_FALSE(search_with("random", "undone"));
}

TEST(SearchBudget, IsHalfOfTheExecutionsThatAreLeft) {
  EXPECT_EQ(most_search_runs(1), 0U);
  EXPECT_EQ(most_search_runs(1000), 500U);
  EXPECT_EQ(most_search_runs(0), most_search_runs(~std::uint64_t{0}));
}

TEST(SearchBudget, LastsIfTheExploredPartGrowsSteadily) {
  const auto steadily = [](std::uint64_t runs) { return static_cast<double>(runs) / 500; };
  EXPECT_EQ(runs_of(500, steadily), 500U);
}

TEST(SearchBudget, EndsAtTheFirstLookIfNothingIsExplored) {
  EXPECT_EQ(runs_of(500, [](std::uint64_t) { return 1e-6; }), 62U);
  EXPECT_EQ(runs_of(1 << 20, [](std::uint64_t) { return 0.5; }), 64U);
}

TEST(SearchBudget, EndsIfTheExploredPartStopsGrowing) {
  const auto slows_down = [](std::uint64_t runs) { return runs < 100 ? static_cast<double>(runs) / 200 : 0.5; };
  EXPECT_EQ(runs_of(1 << 20, slows_down), 256U);
}

TEST(SearchBudget, CountsEvents) {
  SearchPace pace(SearchStage::short_search, 100);
  EXPECT_TRUE(pace.continues({1024 * 100 - 1, 0}, 0.1));
  EXPECT_FALSE(pace.continues({1, 0}, 0.1));
}

TEST(SearchBudget, IsLongOnceAfterAThousandExecutions) {
  EXPECT_EQ(search_stage(round_end(0)), SearchStage::short_search);
  for (const std::uint64_t number : {0, 15, 17, 24, 32, 512, 1000, 1025})
    EXPECT_EQ(search_stage(number), SearchStage::none) << number;
  EXPECT_EQ(search_stage(1024), SearchStage::long_search);
  EXPECT_EQ(search_stage(round_end(1024)), SearchStage::long_search) << "if the round that ends at 1,024 was skipped";
}

TEST(SearchBudget, ALongSearchLastsForASecond) {
  // 1/256 after 512 runs, a 64th of the second: it may become 16 times as fast.
  const auto slow = [](double part) {
    return [part](std::uint64_t runs) { return part * static_cast<double>(runs) / 32768; };
  };
  EXPECT_EQ(long_runs_of(40'000, slow(1.0 / 15)), 32'768U);
  EXPECT_EQ(long_runs_of(40'000, slow(1.0 / 17)), 512U);
  EXPECT_EQ(long_runs_of(1000, slow(1)), 1000U) << "the executions that are left are fewer";
}

TEST(SearchBudget, ALongSearchContinuesIfTheRestFits) {
  const auto steadily = [](std::uint64_t all) {
    return [all](std::uint64_t runs) { return static_cast<double>(runs) / static_cast<double>(all); };
  };
  EXPECT_EQ(long_runs_of(1 << 20, steadily(1 << 19)), 1U << 20) << "this one is told that it is done, and not asked";
  EXPECT_EQ(long_runs_of(100'000, steadily(400'000)), 32'768U);
}

TEST(SearchBudget, ALongSearchCountsPlainSteps) {
  SearchPace pace(SearchStage::long_search, 1'000'000);
  EXPECT_TRUE(pace.continues({0, 16 * ((1 << 22) - 33)}, 1e-9));
  EXPECT_FALSE(pace.continues({0, 0}, 1e-9));
}

}  // namespace heddle::strategies
