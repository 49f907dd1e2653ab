#include "campaign/coverage.hpp"

#include <gtest/gtest.h>

namespace heddle::campaign {

TEST(Coverage, TellsHowManyGraphsSoManyExecutionsHadShown) {
  const findings::Coverage coverage = describe_coverage({100, 103, 101, 900}, 100, 1000, {}, nullptr);
  ASSERT_FALSE(coverage.over_time.empty());
  EXPECT_EQ(coverage.over_time.front().executions, 1U);
  EXPECT_EQ(coverage.over_time.front().graphs, 1U);
  EXPECT_EQ(coverage.over_time[3].executions, 4U);
  EXPECT_EQ(coverage.over_time[3].graphs, 3U);
  EXPECT_EQ(coverage.over_time.back().executions, 1000U);
  EXPECT_EQ(coverage.over_time.back().graphs, 4U);
  EXPECT_EQ(coverage.last_new_graph, 900U);
  EXPECT_EQ(coverage.since_new_graph, 199U);  // 901 to 1099
  EXPECT_FALSE(coverage.unseen);              // whether executions are independent is not known
}

// Good and Turing: f1/n. Chao1: f1²/(2 f2).
TEST(Coverage, EstimatesWhatIsUnseenFromGraphsThatWereSeenOnceAndTwice) {
  const findings::Coverage coverage = describe_coverage(
      {0, 1, 2, 3, 4, 5, 6}, 0, 20, {{1, 10}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 2}, {7, 4}}, nullptr);
  EXPECT_EQ(coverage.seen_once, 4U);
  EXPECT_EQ(coverage.seen_twice, 1U);
  EXPECT_EQ(coverage.frequencies, (std::vector<std::uint64_t>{10, 4, 2, 1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(*coverage.chance_of_new, 0.2);
  EXPECT_DOUBLE_EQ(*coverage.unseen, 8);
}

}  // namespace heddle::campaign
