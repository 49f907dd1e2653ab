#pragma once

#include "models/memory_model.hpp"
#include "models/pso_graphs.hpp"

namespace heddle::models {

/// Partial store order, and partial store load order if loads may read what memory held before.
class Pso final : public MemoryModel {
 public:
  explicit Pso(OldReads old_reads) : old_reads_(old_reads), graphs_(old_reads) {}
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override {
    return graphs_.check(graph, scratch);
  }
  /// The graph would have to keep the stores in the buffers.
  bool can_forget() const override { return false; }
  const MemoryModel* for_exploration() const override { return &graphs_; }
  const char* name() const override { return graphs_.name(); }

 private:
  OldReads old_reads_;
  PsoGraphs graphs_;
};

}  // namespace heddle::models
