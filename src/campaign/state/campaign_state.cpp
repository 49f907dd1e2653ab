#include "campaign/state/campaign_state.hpp"

#include <algorithm>
#include <utility>

namespace heddle::campaign {

void CorpusSummary::add(const CorpusSummary& other) {
  exists = exists || other.exists;
  graphs.insert(graphs.end(), other.graphs.begin(), other.graphs.end());
  std::sort(graphs.begin(), graphs.end(), [](const Graph& a, const Graph& b) { return a.hash < b.hash; });
  std::size_t kept = 0;
  for (const Graph& graph : graphs) {
    if (kept != 0 && graphs[kept - 1].hash == graph.hash)
      graphs[kept - 1].count += graph.count;
    else
      graphs[kept++] = graph;
  }
  graphs.resize(kept);
  pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  plans += other.plans;
  planned_events += other.planned_events;
}

void SearchPart::append(SearchPart other) {
  for (findings::Finding& finding : other.findings) {
    finding.execution += runs;
    // The output of an execution has a key of its own in its task only.
    const auto known =
        finding.kind == findings::FindingKind::output
            ? findings.end()
            : std::find_if(findings.begin(), findings.end(), [&](const auto& mine) { return mine.key == finding.key; });
    if (known == findings.end()) {
      findings.push_back(std::move(finding));
      continue;
    }
    known->count += finding.count;
    known->first_count += finding.first_count;
    known->is_timely = known->is_timely || finding.is_timely;
    known->is_without_race = known->is_without_race || finding.is_without_race;
  }
  counters += other.counters;
  runs += other.runs;
  abandoned += other.abandoned;
  dropped += other.dropped;
  explored.add(other.explored);
}

}  // namespace heddle::campaign
