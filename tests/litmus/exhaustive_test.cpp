// The optimal search over the corpus: no graph twice, the graphs of the plain enumerator, the expected states.
#include "litmus/exhaustive.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "corpus.hpp"
#include "litmus/enumerator.hpp"

namespace heddle::litmus::testing {

namespace {

struct Totals {
  std::uint64_t graphs = 0, abandoned = 0;
  double seconds = 0;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void explore_one(const Test& test, const models::MemoryModel& model, const Expectation& expectation, Totals& totals) {
  std::set<std::uint64_t> found, expected_graphs;
  std::set<NamedState> states;
  std::uint64_t twice = 0;
  bool has_race = false;
  const double begin = cpu_seconds();
  const auto summary = explore(test, model, [&](const Interpreter& execution) {
    twice += !found.insert(canonical_hash(execution.graph())).second;
    states.insert(test.as_map(execution.final_state()));
    has_race = has_race || execution.find_race().has_value();
  });
  totals.seconds += cpu_seconds() - begin;
  totals.graphs += summary.statistics.complete;
  totals.abandoned += summary.statistics.abandoned;
  enumerate(test, model, [&](const Interpreter& run) { expected_graphs.insert(canonical_hash(run.graph())); });
  EXPECT_EQ(summary.fault, "") << test.name;
  EXPECT_EQ(twice, 0U) << test.name;
  EXPECT_EQ(found.size(), expected_graphs.size()) << test.name;
  EXPECT_EQ(found, expected_graphs) << test.name;
  if (expectation.judges_races) {
    EXPECT_EQ(has_race, expectation.undefined) << test.name;
  }
  if (expectation.undefined) return;
  const auto missing = difference(expectation.states, states);
  const auto extra = difference(states, expectation.states);
  EXPECT_TRUE(missing.empty()) << test.name << ", missing:\n" << describe(missing);
  EXPECT_TRUE(extra.empty()) << test.name << ", extra:\n" << describe(extra);
}

void explore_corpus(const char* model_name, models::ReleaseSequence release_sequence, const char* expectation_name) {
  const auto expectations = expected(expectation_name);
  const OwnedModel model(model_name, release_sequence);
  Totals totals;
  for (const auto& [name, test] : corpus()) explore_one(test, *model, expectations.at(name), totals);
  std::printf("%s: %zu tests, %llu graphs, %llu inconsistent plans, %.3f ms a test\n", expectation_name,
              corpus().size(), static_cast<unsigned long long>(totals.graphs),
              static_cast<unsigned long long>(totals.abandoned),
              1000 * totals.seconds / static_cast<double>(corpus().size()));
}

}  // namespace

TEST(LitmusCorpus, ExplorationUnderRc11VisitsEveryGraphOnce) {
  explore_corpus("rc11", models::ReleaseSequence::cpp20, "rc11");
}
TEST(LitmusCorpus, ExplorationUnderRc11WithReleaseSequencesOfC11VisitsEveryGraphOnce) {
  explore_corpus("rc11", models::ReleaseSequence::c11, "rc11-release-sequence-c11");
}
TEST(LitmusCorpus, ExplorationUnderScVisitsEveryGraphOnce) {
  explore_corpus("sc", models::ReleaseSequence::cpp20, "sc");
}
// The search goes by the axioms, the enumeration that it is compared with by store buffers.
TEST(LitmusCorpus, ExplorationUnderTsoVisitsEveryGraphOnce) {
  explore_corpus("tso", models::ReleaseSequence::cpp20, "tso");
}
TEST(LitmusCorpus, ExplorationUnderPsoVisitsEveryGraphOnce) {
  explore_corpus("pso", models::ReleaseSequence::cpp20, "pso");
}
TEST(LitmusCorpus, ExplorationUnderPsloVisitsEveryGraphOnce) {
  explore_corpus("pslo", models::ReleaseSequence::cpp20, "pslo");
}

}  // namespace heddle::litmus::testing
