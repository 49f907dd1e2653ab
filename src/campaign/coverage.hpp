// What the executions of a campaign have shown: distinct graphs over time, their frequencies, and an estimate of what
// is unseen.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "campaign/state/campaign_state.hpp"
#include "findings/results.hpp"

namespace heddle::campaign {

/// `first_executions` has the first execution of each graph. `frequencies` are those of independent executions; empty:
/// the executions depend on each other. `corpus` is null if there is none.
findings::Coverage describe_coverage(std::vector<std::uint64_t> first_executions, std::uint64_t begin,
                                     std::uint64_t executions,
                                     const std::unordered_map<std::uint64_t, std::uint64_t>& frequencies,
                                     const CorpusSummary* corpus);

}  // namespace heddle::campaign
