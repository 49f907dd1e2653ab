// The incremental models against the corpus: exactly the expected states, and every graph satisfies the axioms.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "corpus.hpp"

namespace heddle::litmus::testing {

namespace {

struct Totals {
  std::uint64_t tests = 0, states = 0, missing = 0, extra = 0, undefined = 0, graphs = 0, runs = 0, most_runs = 0;
  std::string longest;
};

void add(Totals& totals, const std::string& name, const Expectation& expectation, const Observation& seen) {
  ++totals.tests;
  totals.graphs += seen.graphs;
  totals.runs += seen.runs;
  if (seen.runs > totals.most_runs) {
    totals.most_runs = seen.runs;
    totals.longest = name;
  }
  totals.undefined += expectation.undefined;
  if (expectation.undefined) return;
  totals.states += expectation.states.size();
}

void print(const std::string& model, const Totals& totals, double seconds) {
  std::printf(
      "%s: %llu tests (%llu undefined), %llu states: %llu missing, %llu extra; %llu graphs in %llu runs, %.1f s; "
      "most runs: %llu (%s)\n",
      model.c_str(), static_cast<unsigned long long>(totals.tests), static_cast<unsigned long long>(totals.undefined),
      static_cast<unsigned long long>(totals.states), static_cast<unsigned long long>(totals.missing),
      static_cast<unsigned long long>(totals.extra), static_cast<unsigned long long>(totals.graphs),
      static_cast<unsigned long long>(totals.runs), seconds, static_cast<unsigned long long>(totals.most_runs),
      totals.longest.c_str());
}

void compare(const char* model_name, models::ReleaseSequence release_sequence, const std::string& expectation_name) {
  const auto expectations = expected(expectation_name);
  const OwnedModel model(model_name, release_sequence);
  ASSERT_EQ(expectations.size(), corpus().size());
  Totals totals;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& [name, test] : corpus()) {
    const auto found = expectations.find(name);
    ASSERT_NE(found, expectations.end()) << name;
    const Expectation& expectation = found->second;
    const Observation seen = enumerate_all(test, *model);
    add(totals, name, expectation, seen);
    EXPECT_EQ(seen.violations, 0U) << name << ": graphs that the axioms reject";
    if (expectation.judges_races) {
      EXPECT_EQ(seen.has_race, expectation.undefined) << name;
    }
    if (expectation.undefined) continue;
    const auto missing = difference(expectation.states, seen.states);
    const auto extra = difference(seen.states, expectation.states);
    EXPECT_TRUE(missing.empty()) << name << ", missing:\n" << describe(missing);
    EXPECT_TRUE(extra.empty()) << name << ", extra:\n" << describe(extra);
    totals.missing += missing.size();
    totals.extra += extra.size();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  print(expectation_name, totals, taken.count());
}

}  // namespace

TEST(LitmusCorpus, Rc11GivesExactlyTheExpectedStates) { compare("rc11", models::ReleaseSequence::cpp20, "rc11"); }

TEST(LitmusCorpus, Rc11WithReleaseSequencesOfC11GivesExactlyTheExpectedStates) {
  compare("rc11", models::ReleaseSequence::c11, "rc11-release-sequence-c11");
}

// The expectations for sc and the models with store buffers say nothing of races.
TEST(LitmusCorpus, ScGivesExactlyTheExpectedStates) { compare("sc", models::ReleaseSequence::cpp20, "sc"); }

// With store buffers: every order of the steps of threads and of stores that reach memory.
TEST(LitmusCorpus, TsoWithStoreBuffersGivesExactlyTheExpectedStates) {
  compare("tso", models::ReleaseSequence::cpp20, "tso");
}
TEST(LitmusCorpus, PsoWithStoreBuffersGivesExactlyTheExpectedStates) {
  compare("pso", models::ReleaseSequence::cpp20, "pso");
}
TEST(LitmusCorpus, PsloWithStoreBuffersAndHistoriesGivesExactlyTheExpectedStates) {
  compare("pslo", models::ReleaseSequence::cpp20, "pslo");
}

}  // namespace heddle::litmus::testing
