#include "litmus/enumerator.hpp"

#include <string_view>
#include <unordered_set>

#include "base/hash.hpp"

namespace heddle::litmus {

using strategies::Choice;
using strategies::Outcome;

namespace {

class DepthFirst final : public strategies::Strategy, public ExecutionObserver {
 public:
  explicit DepthFirst(const models::MemoryModel& model) : model_(model) {}

  bool begin_execution(std::uint64_t) override {
    next_ = 0;
    return true;
  }
  std::uint32_t choose(const Choice& choice) override {
    if (next_ == decisions_.size()) decisions_.push_back({0, static_cast<std::uint32_t>(choice.options.size())});
    return decisions_[next_++].index;
  }
  /// While the list is followed, every state is an old one.
  bool may_continue(const graph::ExecutionGraph& graph) override {
    return next_ < decisions_.size() || seen_.insert(state_hash(graph, model_)).second;
  }
  /// False: there is nothing left to change.
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
  const models::MemoryModel& model_;
  std::vector<Decision> decisions_;
  std::size_t next_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::uint64_t state_hash(const graph::ExecutionGraph& graph, const models::MemoryModel& model) {
  // Threads are deterministic: what they read, which is in the graph, says where they are.
  std::uint64_t hash = canonical_hash(graph);
  // In c11 the order in which seq_cst events were executed restricts what comes, and the graph does not hold it.
  if (std::string_view(model.name()) == "c11")
    for (graph::EventId id : graph.seq_cst_events()) {
      const graph::Event& event = graph.event(id);
      hash = base::hash_words(hash, graph::number(event.thread), event.index);
    }
  return hash;
}

EnumerationSummary enumerate(const Test& test, const models::MemoryModel& model,
                             const std::function<void(const Interpreter&)>& visit, std::uint64_t most_runs,
                             const StopFlag* stop) {
  EnumerationSummary summary;
  Interpreter interpreter(test, model);
  DepthFirst search(model);
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
