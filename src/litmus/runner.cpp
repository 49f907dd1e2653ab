#include "litmus/runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>

#include "litmus/enumerator.hpp"
#include "litmus/exhaustive.hpp"
#include "memory/store_rule.hpp"
#include "strategies/fuzz.hpp"
#include "strategies/local_rounds.hpp"

namespace heddle::litmus {

namespace {

constexpr std::uint64_t most_enumerated = 100'000'000;

/// Counts the execution. True: its final state is new.
bool add(Histogram& histogram, const Interpreter& execution) {
  ++histogram.total;
  histogram.has_race = histogram.has_race || execution.find_race().has_value();
  return ++histogram.states[execution.final_state()] == 1;
}

/// "exists" is allowed or forbidden by what is seen; "forall" and "~exists" are required.
const char* kind_of(Quantifier quantifier) {
  switch (quantifier) {
    case Quantifier::forall: return "Required";
    case Quantifier::not_exists: return "Forbidden";
    default: return "Allowed";
  }
}

std::string line(const char* what, const NamedState& state) {
  std::string text = what;
  for (const auto& [name, value] : state) text.append(" ").append(name).append("=").append(value).append(";");
  return text + "\n";
}

/// The corpus of a litmus test, with its memory. Most of the memory is never touched.
class OwnCorpus {
 public:
  OwnCorpus(const strategies::PortfolioScope& scope, std::uint64_t seed)
      : memory_(static_cast<Memory*>(std::calloc(1, sizeof *memory_))),
        block_(std::make_unique_for_overwrite<std::byte[]>(block_size)), arena_({block_.get(), block_size / 2}),
        scratch_({block_.get() + block_size / 2, block_size / 2}),
        corpus(memory_->corpus, memory_->outbox, strategies::corpus_rule(scope.given()), seed, arena_, scratch_) {}
  ~OwnCorpus() { std::free(memory_); }
  OwnCorpus(const OwnCorpus&) = delete;
  OwnCorpus& operator=(const OwnCorpus&) = delete;

  void add(std::uint64_t number, const graph::ExecutionGraph& graph, strategies::StoreRule stores,
           const strategies::CorpusUser& user) {
    const std::uint64_t hash = graph.kept_hash();
    const bool is_new = !corpus.knows(hash);
    corpus.reporter().add(number, hash, is_new, graph, stores, user);
  }

 private:
  static constexpr std::size_t block_size = std::size_t{256} << 20;
  struct Memory {
    strategies::Corpus corpus;
    strategies::CorpusOutbox outbox;
  };
  Memory* memory_;
  std::unique_ptr<std::byte[]> block_;
  base::Arena arena_;
  base::Arena scratch_;

 public:
  strategies::LocalCorpus corpus;
};

}  // namespace

Histogram run_exhaustively(const Test& test, const models::MemoryModel& model, const StopFlag* stop) {
  Histogram histogram;
  const auto visit = [&](const Interpreter& execution) { add(histogram, execution); };
  if (model.for_exploration() != nullptr) {
    const ExplorationSummary summary = explore(test, model, visit, stop);
    histogram.fault = summary.fault;
    histogram.is_exhaustive = summary.is_complete;
  } else {
    const EnumerationSummary summary = enumerate(test, model, visit, most_enumerated, stop);
    histogram.fault = summary.fault;
    histogram.is_exhaustive = summary.is_complete;
  }
  histogram.was_stopped = !histogram.is_exhaustive && is_set(stop);
  return histogram;
}

Histogram run_sampling(const Test& test, const models::MemoryModel& model, strategies::Strategy& strategy,
                       std::uint64_t executions, const StopFlag* stop) {
  Histogram histogram;
  Interpreter interpreter(test, model);
  const strategies::Facets facets = strategy.facets();
  if (facets.graph_reader != nullptr) facets.graph_reader->set_graph(interpreter.graph());
  // A strategy learns here what leads to new states; no state is a bug.
  strategies::Totals totals;
  std::optional<strategies::LocalRounds> rounds;
  std::optional<OwnCorpus> own;
  if (strategies::Portfolio* portfolio = facets.portfolio) {
    if (portfolio->scope().uses_corpus()) own.emplace(portfolio->scope(), portfolio->seed());
    rounds.emplace(*portfolio, totals, 0, own ? &own->corpus : nullptr);
  }
  for (std::uint64_t number = 0; number < executions; ++number) {
    if (is_set(stop)) {
      histogram.was_stopped = true;
      break;
    }
    if (rounds) rounds->begin_execution(number);
    const auto outcome = interpreter.run(strategy, number);
    if (!outcome) break;
    if (rounds) rounds->add_execution(number, false);
    if (own)
      own->add(number, interpreter.graph(), memory::store_rule(model, interpreter.model_state()), *facets.corpus_user);
    if (!interpreter.fault().empty()) histogram.fault = interpreter.fault();
    if (*outcome != strategies::Outcome::completed) continue;
    const bool is_new = add(histogram, interpreter);
    if (rounds) rounds->add_news(number, is_new ? 1 : 0, 0);
  }
  return histogram;
}

std::string herd_text(const Test& test, const Histogram& histogram) {
  std::string text = "Test " + test.name + " " + kind_of(test.quantifier) + "\n";
  text += "States " + std::to_string(histogram.states.size()) + "\n";
  std::uint64_t positive = 0, negative = 0;
  for (const auto& [state, count] : histogram.states) {
    const bool holds = test.proposition.holds(state);
    (holds ? positive : negative) += count;
    std::string number = std::to_string(count);
    number.resize(std::max<std::size_t>(number.size(), 8), ' ');
    text += number + (holds && test.quantifier != Quantifier::unasked ? "*>" : ":>") + test.describe(state) + "\n";
  }
  if (histogram.has_race) text += "Undefined: some execution has a data race\n";
  if (histogram.was_stopped) text += "Interrupted: not all executions were seen\n";
  if (!histogram.fault.empty()) text += "Fault: " + histogram.fault + "\n";
  if (test.quantifier == Quantifier::unasked) return text;
  const bool is_ok = test.quantifier == Quantifier::exists       ? positive > 0
                     : test.quantifier == Quantifier::not_exists ? positive == 0
                                                                 : negative == 0;
  text += std::string(is_ok ? "Ok" : "No") + "\nWitnesses\nPositive: " + std::to_string(positive) +
          " Negative: " + std::to_string(negative) + "\nCondition " + test.condition + "\nObservation " + test.name +
          " " +
          (positive == 0   ? "Never "
           : negative == 0 ? "Always "
                           : "Sometimes ") +
          std::to_string(positive) + " " + std::to_string(negative) + "\n";
  return text;
}

std::string differences(const Test& test, const Histogram& histogram, const Expectation& expectation) {
  std::string text;
  if (histogram.has_race && !expectation.undefined && expectation.judges_races)
    text += "  a race that is not expected\n";
  if (expectation.undefined) {
    if (histogram.is_exhaustive && !histogram.has_race) text += "  an expected race did not show\n";
    return text;
  }
  std::set<NamedState> seen;
  for (const auto& [state, count] : histogram.states) seen.insert(test.as_map(state));
  for (const NamedState& state : seen)
    if (!expectation.states.contains(state)) text += line("  not expected:", state);
  if (histogram.is_exhaustive)
    for (const NamedState& state : expectation.states)
      if (!seen.contains(state)) text += line("  missing:", state);
  return text;
}

}  // namespace heddle::litmus
