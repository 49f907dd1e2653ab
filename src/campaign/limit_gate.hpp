// Ends a campaign in which every execution reaches the same limit: the rest would do so, too.
//
// Workers whose executions were all cut off wait at a gate, an execution number (channel::Request::gate). If all
// workers wait there, the first executions of the campaign, for any number of workers the same, have all been cut off.
// The gate then ends the campaign, or moves on. It opens for good when one execution runs to its end.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "campaign/settings.hpp"
#include "findings/finding.hpp"

namespace heddle::campaign {

class LimitGate {
 public:
  /// An exhaustive search has no gate, because it must explore what is left within the limit.
  LimitGate(const Settings& settings, bool is_exhaustive);

  /// The gate of workers that start now; no_end: it is open.
  std::uint64_t position() const { return position_; }

  struct Totals {
    std::uint64_t executions = 0;
    std::uint64_t cut_off = 0;
    std::uint64_t buggy = 0;
    bool all_wait = false;  ///< every worker that is left waits at the gate
  };
  enum class Verdict { stays, moved, ends_campaign };
  /// `limits` are those that executions have reached so far.
  Verdict update(const Totals& totals, const std::set<findings::LimitKind>& limits);

 private:
  std::uint64_t first_;
  std::uint64_t few_;  ///< executions of all shards after which the gate opens
  std::uint64_t position_;
};

/// "each of the first 10 executions was cut off at --max-events 5000, ...": why the campaign ended, and what to change.
std::string limit_sentence(const Settings& settings, findings::LimitKind limit, std::uint64_t executions);

}  // namespace heddle::campaign
