#pragma once

#include "models/memory_model.hpp"
#include "models/tso_graphs.hpp"

namespace heddle::models {

extern const ModelDescriptor tso_model;

class Tso final : public MemoryModel {
 public:
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override {
    return graphs_.check(graph, scratch);
  }
  /// The graph would have to keep the stores in the buffers.
  bool can_forget() const override { return false; }
  const MemoryModel* for_exploration() const override { return &graphs_; }

 private:
  TsoGraphs graphs_;
};

}  // namespace heddle::models
