#pragma once

#include "models/memory_model.hpp"
#include "models/sc_graphs.hpp"

namespace heddle::models {

extern const ModelDescriptor sc_model;

class Sc final : public MemoryModel {
 public:
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool stores_are_immediate() const override { return true; }
  const MemoryModel* for_exploration() const override { return &graphs_; }

 private:
  ScGraphs graphs_;
};

}  // namespace heddle::models
