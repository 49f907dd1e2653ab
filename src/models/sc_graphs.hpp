// Sequential consistency as an axiom: acyclic sb | rf | mo | rb | asw. The model Sc executes in one order and offers
// only the newest write. ScGraphs offers every choice that some order explains, which a search over graphs needs.
#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

class ScGraphs final : public MemoryModel {
 public:
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
};

}  // namespace heddle::models
