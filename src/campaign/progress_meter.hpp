// Computes what the progress line of a campaign shows beside its counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/settings.hpp"
#include "campaign/slot.hpp"

namespace heddle::campaign {

class ProgressMeter {
 public:
  /// Of a campaign that began at `start`. Settings and slots live as long as the meter.
  ProgressMeter(const Settings& settings, Clock::time_point start, const std::vector<Slot>& slots);

  /// The slot's worker has ended; its counters are still there.
  void worker_ended(const Slot& slot) { executed_[place_of(slot)] += slot.counters().executions; }
  /// Adds times and rates. `live` has the counters. The campaign ends at execution `end`, and continues from processes
  /// that took `seconds_before`.
  void complete(LiveProgress& live, std::uint64_t end, double seconds_before) const;

 private:
  std::size_t place_of(const Slot& slot) const;
  double seconds_since_start() const;
  std::vector<double> place_rates() const;
  std::string phase() const;
  double seconds_left(const LiveProgress& live, std::uint64_t end, double seconds_before) const;

  const Settings& settings_;
  Clock::time_point start_;
  const std::vector<Slot>& slots_;
  std::vector<std::uint64_t> executed_;  ///< by place: executions of workers that have ended
};

}  // namespace heddle::campaign
