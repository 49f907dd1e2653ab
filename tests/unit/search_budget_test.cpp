#include "strategies/search_budget.hpp"

#include <gtest/gtest.h>

#include "strategies/strategy_specification.hpp"

namespace heddle::strategies {

namespace {

/// The number of runs after which a search ends; `explored` is a function of the number of runs.
template <typename Explored>
std::uint64_t runs_of(std::uint64_t most_runs, Explored explored) {
  SearchPace pace(most_runs);
  std::uint64_t runs = 1;
  while (pace.continues(runs, 10 * runs, explored(runs))) ++runs;
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
  SearchPace pace(100);
  EXPECT_TRUE(pace.continues(1, 1024 * 100 - 1, 0.1));
  EXPECT_FALSE(pace.continues(2, 1024 * 100, 0.1));
}

}  // namespace heddle::strategies
