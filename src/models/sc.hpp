#pragma once

#include "models/memory_model.hpp"
#include "models/sc_graphs.hpp"

namespace heddle::models {

class Sc final : public MemoryModel {
 public:
  void readable_writes(graph::ExecutionGraph& graph, const graph::Event& read,
                       base::ArenaVector<graph::EventId>& out) const override;
  std::uint32_t readable_from(graph::ExecutionGraph& graph, const graph::Event& read) const override;
  bool commits_clocks_only() const override { return true; }
  bool goes_last(graph::ExecutionGraph&, const graph::Event&) const override { return true; }
  void mo_slots(graph::ExecutionGraph& graph, const graph::Event& write,
                base::ArenaVector<std::uint32_t>& out) const override;
  void commit(graph::ExecutionGraph& graph, graph::EventId event) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool stores_are_immediate() const override { return true; }
  const MemoryModel* for_exploration() const override { return &graphs_; }
  const char* name() const override { return "sc"; }

 private:
  ScGraphs graphs_;
};

}  // namespace heddle::models
