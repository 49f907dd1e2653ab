#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

class Sc final : public MemoryModel {
 public:
  void readable_writes(graph::ExecutionGraph& graph, const graph::Event& read,
                       base::ArenaVector<graph::EventId>& out) const override;
  void mo_slots(graph::ExecutionGraph& graph, const graph::Event& write,
                base::ArenaVector<std::uint32_t>& out) const override;
  void commit(graph::ExecutionGraph& graph, graph::EventId event) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool stores_are_immediate() const override { return true; }
  const char* name() const override { return "sc"; }
};

}  // namespace heddle::models
