// How c11 differs from rc11 over the corpus, pinned. docs/c11.md says why.
#include <gtest/gtest.h>

#include "corpus.hpp"

namespace heddle::litmus::testing {

TEST(LitmusCorpus, C11IsStrongerThanRc11AndOnlyAsDocumented) {
  const auto expectations = expected("rc11");
  const OwnedModel c11("c11", models::ReleaseSequence::cpp20);
  std::uint64_t tests_that_lose = 0, states_lost = 0, states_added = 0, races_lost = 0, races_added = 0;
  for (const auto& [name, test] : corpus()) {
    const Expectation& rc11 = expectations.at(name);
    const Observation seen = enumerate_all(test, *c11);
    EXPECT_EQ(seen.violations, 0U) << name << ": graphs that the axioms reject";
    races_lost += rc11.undefined && !seen.has_race;
    races_added += !rc11.undefined && seen.has_race;
    if (rc11.undefined) continue;
    const auto lost = difference(rc11.states, seen.states);
    tests_that_lose += !lost.empty();
    states_lost += lost.size();
    states_added += difference(seen.states, rc11.states).size();
  }
  EXPECT_EQ(states_added, 0U);
  EXPECT_EQ(races_added, 0U);
  EXPECT_EQ(tests_that_lose, 248U);
  EXPECT_EQ(states_lost, 330U);
  EXPECT_EQ(races_lost, 2U);
}

}  // namespace heddle::litmus::testing
