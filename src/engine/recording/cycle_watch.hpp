// The worker's part of heddle predict: tells the strategy which label a thread is at, judges after an execution whether
// it had its cycle, and writes the accesses of an execution for the driver.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "channel/channel.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/memory/atomics.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/cycle_occurrence.hpp"
#include "strategies/cycle_table.hpp"

namespace heddle::engine {

/// What the parts below need of the engine.
struct WatchedExecution {
  const graph::ExecutionGraph& graph;
  ThreadTable& threads;
  Atomics& atomics;
  CallStackTree& stacks;
  const Modules& modules;
  FindingSink& findings;
};

/// The names of a place in the program by its address and those of its callers (strategies::site_name).
struct SiteNamesByDepth {
  std::uint64_t pcs[strategies::deepest_site] = {};
  std::uint64_t names[strategies::deepest_site] = {};

  /// `stack` is that of the function in which `site` lies.
  SiteNamesByDepth(std::uint64_t site, std::uint32_t stack, const CallStackTree& stacks, const Modules& modules);
};

class CycleWatch final : public strategies::PendingLabels {
 public:
  /// The table is in the channel. What is learnt about labels is kept in `session`.
  CycleWatch(const WatchedExecution& execution, strategies::CycleTable& table, std::uint64_t model,
             base::Arena& session, base::Arena& scratch)
      : in_(execution), table_(table), model_(model), session_(session), scratch_(scratch) {}

  std::uint32_t label_of(graph::ThreadId thread) override;
  /// After an execution, before its findings are published: reports its cycle as a finding, if it had it, and counts
  /// the execution in its trial.
  void judge(std::uint64_t number);

 private:
  struct KnownLabel {
    std::uint64_t site = 0;
    std::uint32_t stack = 0;
    std::uint32_t label = 0;
  };

  std::uint32_t label_at(std::uint64_t site, std::uint32_t stack);

  WatchedExecution in_;
  strategies::CycleTable& table_;
  std::uint64_t model_;  ///< a hash of its name
  base::Arena& session_;
  base::Arena& scratch_;
  std::span<KnownLabel> known_ = {};  ///< a hash table; entries replace each other
};

/// Appends the accesses of the execution that has ended to the channel. Does nothing if there is no room.
void trace_accesses(const WatchedExecution& execution, channel::Channel& channel, std::uint64_t number,
                    base::Arena& scratch);

}  // namespace heddle::engine
