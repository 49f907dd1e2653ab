#include "campaign/coverage.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace heddle::campaign {

namespace {
constexpr std::uint64_t points_an_octave = 4;
constexpr std::size_t most_frequencies = 100;
}  // namespace

findings::Coverage describe_coverage(std::vector<std::uint64_t> first_executions, std::uint64_t begin,
                                     std::uint64_t executions,
                                     const std::unordered_map<std::uint64_t, std::uint64_t>& frequencies,
                                     const CorpusSummary* corpus) {
  findings::Coverage coverage;
  if (first_executions.empty()) return coverage;
  std::sort(first_executions.begin(), first_executions.end());
  coverage.last_new_graph = first_executions.back();
  // A campaign that was stopped may have left out executions before the last one.
  const std::uint64_t shown_after = coverage.last_new_graph - begin + 1;
  coverage.since_new_graph = executions - std::min(executions, shown_after);
  const auto add_point = [&](std::uint64_t after) {
    const auto end = std::lower_bound(first_executions.begin(), first_executions.end(), begin + after);
    coverage.over_time.push_back({after, static_cast<std::uint64_t>(end - first_executions.begin())});
  };
  for (std::uint64_t after = 1; after < executions;
       after += std::max<std::uint64_t>(1, std::bit_floor(after) / points_an_octave))
    add_point(after);
  add_point(executions);

  std::vector<std::uint64_t> counts;
  if (corpus != nullptr) {
    for (const auto& graph : corpus->graphs) counts.push_back(graph.count);
    coverage.reads_from_pairs = corpus->pairs.size();
    coverage.mean_plan = corpus->mean_plan();
  }
  for (const auto& [graph, count] : frequencies) counts.push_back(count);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  coverage.seen_once = static_cast<std::uint64_t>(std::count(counts.begin(), counts.end(), 1));
  coverage.seen_twice = static_cast<std::uint64_t>(std::count(counts.begin(), counts.end(), 2));
  if (!frequencies.empty() && executions != 0) {
    const auto once = static_cast<double>(coverage.seen_once), twice = static_cast<double>(coverage.seen_twice);
    coverage.chance_of_new = once / static_cast<double>(executions);
    // The form for seen_twice = 0 is Chao's bias-corrected one.
    coverage.unseen = twice == 0 ? once * (once - 1) / 2 : once * once / (2 * twice);
  }
  counts.resize(std::min(counts.size(), most_frequencies));
  coverage.frequencies = std::move(counts);
  return coverage;
}

}  // namespace heddle::campaign
