#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

class C11 final : public MemoryModel {
 public:
  explicit C11(ReleaseSequence release_sequence) : release_sequence_(release_sequence) {}

  void readable_writes(graph::ExecutionGraph& graph, const graph::Event& read,
                       base::ArenaVector<graph::EventId>& out) const override;
  std::uint32_t readable_from(graph::ExecutionGraph& graph, const graph::Event& read) const override;
  bool goes_last(graph::ExecutionGraph& graph, const graph::Event& write) const override;
  void mo_slots(graph::ExecutionGraph& graph, const graph::Event& write,
                base::ArenaVector<std::uint32_t>& out) const override;
  void commit(graph::ExecutionGraph& graph, graph::EventId event) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  /// The order of seq_cst events restricts what comes and is not in the graph.
  const MemoryModel* for_exploration() const override { return nullptr; }
  bool can_forget() const override { return release_sequence_ == ReleaseSequence::cpp20; }
  const char* name() const override { return "c11"; }

 private:
  ReleaseSequence release_sequence_;
};

}  // namespace heddle::models
