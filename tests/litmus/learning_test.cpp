// A strategy without parameters learns them from the executions of a test.
#include <gtest/gtest.h>

#include <cstddef>

#include "corpus.hpp"
#include "litmus/runner.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::litmus::testing {

namespace {

std::size_t states_seen(const Test& test, const char* specification) {
  alignas(std::max_align_t) static std::byte memory[1 << 18];
  base::Arena arena(memory);
  strategies::SpecificationError error;
  strategies::Strategy* strategy =
      strategies::make_strategy(*strategies::parse_strategy(specification, error), 1, arena);
  const OwnedModel model("rc11", models::ReleaseSequence::cpp20);
  return run_sampling(test, *model, *strategy, 2000).states.size();
}

}  // namespace

// The test has 96 states, and some need that many threads read at the right place: k, d and h must suit it. As long as
// nothing is known of them, 2,000 executions show 43 of the states. The seed is fixed.
TEST(Learning, LeadsToStatesThatNeedTheRightParameters) {
  const litmus::Test& test = corpus().at("RND4T2L-0025");
  ASSERT_EQ(expected("rc11").at("RND4T2L-0025").states.size(), 96U);
  EXPECT_GT(states_seen(test, "pctwm"), 86U);
  EXPECT_GT(states_seen(test, "auto"), 86U);
}

}  // namespace heddle::litmus::testing
