#include "litmus/enumerator.hpp"

#include <unordered_set>

#include "base/hash.hpp"

namespace heddle::litmus {

using strategies::Choice;
using strategies::Outcome;

namespace {

class DepthFirst final : public strategies::Strategy, public RunObserver {
 public:
  bool begin_execution(std::uint64_t) override {
    next_ = 0;
    return true;
  }
  std::uint32_t choose(const Choice& choice) override {
    if (next_ == decisions_.size()) decisions_.push_back({0, static_cast<std::uint32_t>(choice.options.size())});
    return decisions_[next_++].index;
  }
  /// While the run follows the list, every state is known. Behind it, the run ends in a known state. Threads are
  /// deterministic: the graph contains what they read, and so determines where each thread is.
  bool may_continue(const graph::ExecutionGraph& graph, const models::ModelState& state) override {
    return next_ < decisions_.size() || seen_.insert(base::hash_words(canonical_hash(graph), state.hash())).second;
  }
  /// Changes the last decision that has an untried option. False: there is none.
  bool backtrack() {
    while (!decisions_.empty() && decisions_.back().index + 1 == decisions_.back().options) decisions_.pop_back();
    if (decisions_.empty()) return false;
    ++decisions_.back().index;
    return true;
  }

 private:
  struct Decision {
    std::uint32_t index;
    std::uint32_t options;
  };
  std::vector<Decision> decisions_;
  std::size_t next_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

EnumerationSummary enumerate(const Test& test, const models::MemoryModel& model,
                             const std::function<void(const Interpreter&)>& visit, std::uint64_t most_runs,
                             const StopFlag* stop) {
  EnumerationSummary summary;
  Interpreter interpreter(test, model);
  DepthFirst search;
  std::unordered_set<std::uint64_t> graphs;
  do {
    if (summary.runs == most_runs || is_set(stop)) {
      summary.is_complete = false;
      break;
    }
    ++summary.runs;
    const auto outcome = interpreter.run(search, summary.runs, &search);
    if (!interpreter.fault().empty()) summary.fault = interpreter.fault();
    if (outcome != Outcome::completed) continue;
    ++summary.executions;
    if (!graphs.insert(canonical_hash(interpreter.graph())).second) continue;
    ++summary.graphs;
    visit(interpreter);
  } while (search.backtrack());
  return summary;
}

}  // namespace heddle::litmus
