// Computes what the progress line of a campaign shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/auto_search.hpp"
#include "campaign/result_merger.hpp"
#include "campaign/settings.hpp"
#include "campaign/shared_search.hpp"
#include "campaign/slot.hpp"

namespace heddle::campaign {

class ProgressMeter {
 public:
  /// The parts of a campaign that began at `start`. They live as long as the meter.
  ProgressMeter(const Settings& settings, Clock::time_point start, std::vector<Slot>& slots, ResultMerger& merger,
                AutoSearch& search, std::optional<SharedSearch>& shared);

  /// The slot's worker has ended; its counters are still there.
  void worker_ended(const Slot& slot) { executed_[rank_of(slot)] += slot.counters().executions; }
  /// The campaign ends at execution `end`, and goes on from processes that took `seconds_before`.
  LiveProgress read(std::uint64_t end, double seconds_before);

 private:
  std::size_t rank_of(const Slot& slot) const;
  double seconds_since_start() const;
  std::vector<double> rank_rates() const;
  std::string phase();
  double seconds_left(const LiveProgress& live, std::uint64_t end, double seconds_before) const;

  const Settings& settings_;
  Clock::time_point start_;
  std::vector<Slot>& slots_;
  ResultMerger& merger_;
  AutoSearch& search_;
  std::optional<SharedSearch>& shared_;
  std::vector<std::uint64_t> executed_;  ///< by rank: executions of workers that have ended
};

}  // namespace heddle::campaign
