#include "corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "litmus/enumerator.hpp"
#include "litmus/parser.hpp"

namespace heddle::litmus::testing {

namespace {

const std::filesystem::path folder = HEDDLE_LITMUS_CORPUS;

std::map<std::string, Test> read_corpus() {
  std::map<std::string, Test> tests;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "tests")) {
    if (entry.path().extension() != ".litmus") continue;
    Result<Test> test = read_test(entry.path().string());
    if (test)
      tests[test->name] = std::move(*test);
    else
      ADD_FAILURE() << test.problem().text;
  }
  return tests;
}

}  // namespace

const std::map<std::string, Test>& corpus() {
  static const std::map<std::string, Test> tests = read_corpus();
  return tests;
}

std::map<std::string, Expectation> expected(const std::string& name) {
  auto expectations = read_expectations((folder / "expected" / (name + ".jsonl")).string());
  if (expectations) return std::move(*expectations);
  ADD_FAILURE() << expectations.problem().text;
  return {};
}

OwnedModel::OwnedModel(const char* name, models::ReleaseSequence release_sequence)
    : arena_(memory_), model_(models::make_model(name, {release_sequence}, arena_)) {}

Observation enumerate_all(const Test& test, const models::MemoryModel& model) {
  Observation seen;
  constexpr std::size_t scratch_size = 1 << 20;
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(scratch_size);
  base::Arena scratch({memory.get(), scratch_size});
  const EnumerationSummary summary = enumerate(test, model, [&](const Interpreter& execution) {
    seen.states.insert(test.as_map(execution.final_state()));
    seen.has_race = seen.has_race || execution.find_race().has_value();
    scratch.reset();
    if (model.check(execution.graph(), scratch)) ++seen.violations;
  });
  EXPECT_TRUE(summary.is_complete) << test.name;
  EXPECT_EQ(summary.fault, "") << test.name;
  seen.graphs = summary.graphs;
  seen.runs = summary.runs;
  return seen;
}

std::vector<NamedState> difference(const std::set<NamedState>& a, const std::set<NamedState>& b) {
  std::vector<NamedState> result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

std::string describe(const std::vector<NamedState>& states) {
  std::string text;
  for (const NamedState& state : states) {
    text += "  ";
    for (const auto& [name, value] : state) text += name + "=" + value + "; ";
    text += "\n";
  }
  return text;
}

}  // namespace heddle::litmus::testing
