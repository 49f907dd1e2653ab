// The set of graph hashes that a worker has met.
#include "engine/worker/graph_set.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.hpp"

namespace heddle::engine {

TEST(GraphSet, TellsNewHashesFromKnownOnesAlsoAfterGrowing) {
  std::vector<std::byte> memory(1 << 22);
  base::Arena arena{std::span<std::byte>(memory)};
  GraphSet graphs(arena);
  std::set<std::uint64_t> expected;
  base::Random random(1, 0);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t hash = 1 + random.below(15000);  // some come several times
    EXPECT_EQ(graphs.add(hash), expected.insert(hash).second);
  }
  graphs.clear();
  EXPECT_TRUE(graphs.add(*expected.begin()));
  EXPECT_FALSE(graphs.add(*expected.begin()));
}

}  // namespace heddle::engine
