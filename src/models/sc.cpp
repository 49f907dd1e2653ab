// Sequential consistency by execution: there is one memory, and every operation acts on it in the order of execution.
// Happens-before is the one of C++, from the memory orders in the program: a data race is a race under sc too.
#include "models/sc.hpp"

#include "models/synchronisation.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::ExecutionGraph;

namespace {

class ScState final : public ModelState {
 public:
  explicit ScState(ExecutionGraph& graph) : ModelState(graph) { commits_clocks_only_ = true; }

  void readable_writes(const Event& read, base::ArenaVector<EventId>& out) override {
    out.push_back(graph_.arena(), graph_.newest_write(read.location));
  }
  std::uint32_t readable_from(const Event& read) override { return writes_of(read) - 1; }
  bool goes_last(const Event&) override { return true; }
  void mo_slots(const Event& write, base::ArenaVector<std::uint32_t>& out) override {
    out.push_back(graph_.arena(), writes_of(write));
  }
  void commit(EventId event) override { synchronise(graph_, event, ReleaseSequence::cpp20); }

 private:
  /// The length of the modification order of the event's location.
  std::uint32_t writes_of(const Event& event) const {
    return static_cast<std::uint32_t>(graph_.location(event.location).modification_order.size());
  }
};

}  // namespace

constinit const ModelDescriptor sc_model = {
    .name = "sc",
    .title = "sequential consistency",
    .make = [](const ModelOptions&, base::Arena& arena) -> const MemoryModel* { return arena.create<Sc>(); },
    .is_sequential = true,
};

ModelState& Sc::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<ScState>(graph);
}

std::optional<Violation> Sc::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  return graphs_.check(graph, scratch);
}

}  // namespace heddle::models
