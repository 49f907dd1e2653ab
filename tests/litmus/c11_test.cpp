// How c11 differs from rc11 over the corpus, pinned. docs/c11.md says why.
#include <gtest/gtest.h>

#include "corpus.hpp"

namespace heddle::litmus::testing {

TEST(LitmusCorpus, C11DiffersFromRc11OnlyAsDocumented) {
  const auto expectations = expected("rc11");
  const OwnedModel c11("c11", models::ReleaseSequence::cpp20);
  std::uint64_t stronger = 0, weaker = 0, both = 0, other_races = 0, lost = 0, added = 0;
  for (const auto& [name, test] : corpus()) {
    const Expectation& rc11 = expectations.at(name);
    const Observation seen = enumerate_all(test, *c11);
    EXPECT_EQ(seen.violations, 0U) << name << ": graphs that the axioms reject";
    other_races += seen.has_race != rc11.undefined;
    if (rc11.undefined) continue;
    const auto missing = difference(rc11.states, seen.states);
    const auto extra = difference(seen.states, rc11.states);
    stronger += !missing.empty() && extra.empty();
    weaker += missing.empty() && !extra.empty();
    both += !missing.empty() && !extra.empty();
    lost += missing.size();
    added += extra.size();
    if (!extra.empty()) std::printf("weaker: %s\n%s", name.c_str(), describe(extra).c_str());
    if (!missing.empty()) std::printf("stronger: %s\n%s", name.c_str(), describe(missing).c_str());
  }
  std::printf("%lu %lu %lu %lu %lu %lu\n", stronger, weaker, both, other_races, lost, added);
}

}  // namespace heddle::litmus::testing
