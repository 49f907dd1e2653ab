#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

extern const ModelDescriptor c11_model;

class C11 final : public MemoryModel {
 public:
  explicit C11(ReleaseSequence release_sequence) : release_sequence_(release_sequence) {}

  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  /// The order in which seq_cst events are executed restricts later events, and the graph does not contain it.
  const MemoryModel* for_exploration() const override { return nullptr; }
  bool can_forget() const override { return release_sequence_ == ReleaseSequence::cpp20; }

 private:
  ReleaseSequence release_sequence_;
};

}  // namespace heddle::models
