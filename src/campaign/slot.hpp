// A share of the executions of a campaign, and the worker process that runs it. A worker that dies is replaced.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "campaign/result_merger.hpp"
#include "campaign/settings.hpp"
#include "campaign/workers/worker_process.hpp"
#include "run/specification.hpp"

namespace heddle::campaign {

class Slot {
 public:
  std::uint64_t next = 0;                ///< the first execution of the next worker
  std::unique_ptr<WorkerHandle> worker;  ///< null: all executions of the slot are done
  channel::Isolation isolation = channel::Isolation::automatic;
  std::vector<ResultMerger::Announced> announced;
  std::shared_ptr<const findings::ModuleMap> modules;

  void start(std::unique_ptr<WorkerHandle> started);
  /// Kills the worker if it hangs, or if it takes more than `run` allows. To be called often.
  void watch(Clock::time_point now, const run::RunSpecification& run);
  /// Remembers the worker's counters if they are plausible. Returns false if the program has overwritten the channel.
  bool read_counters();

  /// False: the program has overwritten the channel.
  bool is_plausible() const { return is_plausible_; }
  Killed killed() const { return killed_; }
  /// The last ones that were plausible.
  const Counters& counters() const { return counters_; }
  /// The execution that the worker is in. `stride` is the distance between two executions of the slot.
  std::uint64_t current_execution(std::uint64_t stride) const;
  /// The finding about the worker that the driver killed or that died; nothing if the program ended in an ordinary way.
  std::optional<findings::Finding> lost_execution(std::uint64_t execution, const run::RunSpecification& run) const;
  /// Why the worker ended in this state, before it executed anything.
  Problem never_ran(channel::State state, const Settings& settings) const;

 private:
  Killed killed_ = Killed::no;
  Counters counters_;
  bool is_plausible_ = true;
};

}  // namespace heddle::campaign
