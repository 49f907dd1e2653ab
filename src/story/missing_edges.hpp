// Why one event does not happen before another, and which memory orders would change that.
#pragma once

#include <optional>
#include <vector>

#include "story/execution_log.hpp"
#include "story/synchronisation.hpp"

namespace heddle::story {

/// A memory order that an event would need.
struct StrongerOrder {
  EventNumber event;
  MemoryOrder order;
};

/// A way on which values passed from `from` to `to`, which happens-before would follow with stronger memory orders.
struct MissingPath {
  EventNumber from;
  EventNumber to;
  std::vector<Passage> passages;        ///< in the order of the path; all of them lack something
  std::vector<StrongerOrder> stronger;  ///< with these, `from` happens before `to`
};

/// Accesses that form a cycle of program order and communication, so that no interleaving explains the execution. Each
/// is followed by the next one in program order, or in reads-from, modification order or from-read.
struct OrderCycle {
  std::vector<EventNumber> events;
  std::vector<StrongerOrder> stronger;  ///< with these, the cycle is forbidden
};

/// Looks for paths and cycles in one log, which must outlive it. All searches together do a limited number of steps,
/// about half a second's worth: searches behind that limit find nothing.
class MissingEdges {
 public:
  explicit MissingEdges(const ExecutionLog& log);

  /// The path that needs the fewest changes; nothing if no value passed on the way, or if `from` happens before `to`.
  std::optional<MissingPath> find_path(EventNumber from, EventNumber to);
  /// A cycle through `later`, a read that missed the write `newer` or a write that was placed before it; nothing if an
  /// interleaving in another order explains the execution.
  std::optional<OrderCycle> find_cycle(EventNumber newer, EventNumber later);

  bool has_steps_left() const { return steps_left_ != 0; }

 private:
  const ExecutionLog& log_;
  Passages passages_;
  std::vector<std::size_t> passages_before_;  ///< by event: how many passages there are into the events before it
  std::vector<EventNumber> accesses_;         ///< the atomic accesses
  std::size_t steps_left_ = 20'000'000;
};

/// The weakest order that is as strong as both.
MemoryOrder joined(MemoryOrder a, MemoryOrder b);

/// Merges the orders that several reasons ask for: release and acquire of one event become acq_rel.
void add_stronger(std::vector<StrongerOrder>& orders, const StrongerOrder& added);

}  // namespace heddle::story
