// The corpus of a process that runs all executions itself: it keeps what it reports.
#pragma once

#include <span>

#include "strategies/corpus.hpp"

namespace heddle::strategies {

class LocalCorpus {
 public:
  /// `corpus` and `outbox` are large and mostly not used: the system should provide their memory page by page.
  /// `arena` outlives executions; `scratch` is rewound.
  LocalCorpus(Corpus& corpus, CorpusOutbox& outbox, const CorpusRule& rule, std::uint64_t seed, base::Arena& arena,
              base::Arena& scratch, const SiteNames& sites = plain_sites)
      : corpus_(corpus), outbox_(outbox), arena_(arena), keeper_(corpus, rule, seed, arena),
        reporter_(corpus, outbox, arena, scratch, sites) {}

  Corpus& corpus() { return corpus_; }
  CorpusKeeper& keeper() { return keeper_; }
  CorpusReporter& reporter() { return reporter_; }
  bool knows(std::uint64_t graph_hash) const { return keeper_.graphs().of(graph_hash) != 0; }

  /// `continues_an_entry(number)`: did the execution draw from the corpus?
  template <typename ContinuesAnEntry>
  void end_round(ContinuesAnEntry continues_an_entry) {
    executions_.clear();
    candidates_.clear();
    for (std::uint64_t i = 0; i < outbox_.execution_count; ++i)
      executions_.push_back(arena_, {outbox_.executions[i].number, outbox_.executions[i].graph,
                                     continues_an_entry(outbox_.executions[i].number)});
    for (std::uint64_t i = 0; i < outbox_.recording_count; ++i)
      candidates_.push_back(arena_, {outbox_.recordings[i].number, outbox_.recordings[i].graph,
                                     Recording(outbox_.recordings[i].recording)});
    keeper_.end_round(executions_.span(), candidates_.span(), {outbox_.pairs, outbox_.pair_count});
    keeper_.add_plans(outbox_.plans, outbox_.planned_events);
    reporter_.begin_round();
  }

 private:
  Corpus& corpus_;
  CorpusOutbox& outbox_;
  base::Arena& arena_;
  CorpusKeeper keeper_;
  CorpusReporter reporter_;
  base::ArenaVector<CorpusKeeper::Execution> executions_;
  base::ArenaVector<CorpusKeeper::Candidate> candidates_;
};

}  // namespace heddle::strategies
