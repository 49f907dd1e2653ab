// Sequential consistency as an axiom: acyclic sb | rf | mo | rb (and the edges of synchronisation objects). Sc executes
// in one order, so it offers the newest write only; this one offers everything that some order explains, which is
// what a search over graphs needs.
#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

class ScGraphs final : public MemoryModel {
 public:
  void readable_writes(graph::ExecutionGraph& graph, const graph::Event& read,
                       base::ArenaVector<graph::EventId>& out) const override;
  void mo_slots(graph::ExecutionGraph& graph, const graph::Event& write,
                base::ArenaVector<std::uint32_t>& out) const override;
  void commit(graph::ExecutionGraph& graph, graph::EventId event) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  const char* name() const override { return "sc"; }
};

}  // namespace heddle::models
