#include <gtest/gtest.h>

#include "campaign/learning/learning_rounds.hpp"

namespace heddle::campaign {

TEST(ShownGraphs, CountsEachGraphOnceForItsFirstExecution) {
  ShownGraphs graphs;
  const auto first = graphs.add({{7, 3, 1, 0}, {5, 2, 1, 0}, {7, 1, 1, 0}});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].execution, 2U);
  EXPECT_EQ(first[1].execution, 1U);
  const auto second = graphs.add({{7, 9, 1, 0}, {6, 8, 1, 0}});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].hash, 6U);
  EXPECT_EQ(graphs.size(), 3U);
}

}  // namespace heddle::campaign
