#pragma once

#include "models/memory_model.hpp"
#include "models/pso_graphs.hpp"

namespace heddle::models {

extern const ModelDescriptor pso_model;
extern const ModelDescriptor pslo_model;

/// Partial store order, and partial store load order if loads may read what memory held before.
class Pso final : public MemoryModel {
 public:
  explicit Pso(PsoRules rules) : rules_(rules), graphs_(rules) {}
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override {
    return graphs_.check(graph, scratch);
  }
  /// The graph would have to keep the stores in the buffers.
  bool can_forget() const override { return false; }
  const MemoryModel* for_exploration() const override { return &graphs_; }

 private:
  PsoRules rules_;
  PsoGraphs graphs_;
};

}  // namespace heddle::models
