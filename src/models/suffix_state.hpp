// What the models for the search share: a new event may follow any write from some position of the modification order
// on. A model says which position that is.
#pragma once

#include "models/memory_model.hpp"
#include "models/synchronisation.hpp"

namespace heddle::models {

class SuffixState : public ModelState {
 public:
  void readable_writes(const graph::Event& read, base::ArenaVector<graph::EventId>& out) final {
    const auto& order = graph_.location(read.location).modification_order;
    for (std::uint32_t position = newest_before(read); position < order.size(); ++position)
      if (read.kind != graph::EventKind::rmw || !is_overwritten(order[position]))
        out.push_back(graph_.arena(), order[position]);
  }
  void mo_slots(const graph::Event& write, base::ArenaVector<std::uint32_t>& out) final {
    const auto& order = graph_.location(write.location).modification_order;
    for (std::uint32_t position = newest_before(write) + 1; position <= order.size(); ++position)
      if (!is_overwritten(order[position - 1])) out.push_back(graph_.arena(), position);
  }
  void commit(graph::EventId event) override { synchronise(graph_, event, ReleaseSequence::cpp20); }
  /// What a state keeps follows from the graph: it is found again when it is needed.
  bool adopt_graph() final { return true; }

 protected:
  explicit SuffixState(graph::ExecutionGraph& graph) : ModelState(graph) { graph.keep_program_order(); }
  ~SuffixState() = default;

 private:
  /// The newest write of the event's location that has to precede the event, by its position in modification order. The
  /// location has at least two writes.
  virtual std::uint32_t oldest_allowed(const graph::Event& event) = 0;

  std::uint32_t newest_before(const graph::Event& event) {
    return graph_.location(event.location).modification_order.size() == 1 ? 0 : oldest_allowed(event);
  }
  bool is_overwritten(graph::EventId write) const { return graph_.event(write).overwritten_by != graph::no_event; }
};

}  // namespace heddle::models
