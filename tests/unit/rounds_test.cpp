#include "campaign/rounds.hpp"

#include <gtest/gtest.h>

namespace heddle::campaign {

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
