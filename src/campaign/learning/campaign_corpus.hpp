// The corpus of a campaign: the driver judges the executions of all workers when a round has ended, and gives every
// worker the same corpus for the next one (strategies/corpus.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/arena.hpp"
#include "campaign/learning/corpus_copies.hpp"
#include "campaign/state/state_bytes.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "strategies/corpus.hpp"

namespace heddle::campaign {

class CampaignCorpus {
 public:
  CampaignCorpus(const strategies::CorpusRule& rule, std::uint64_t seed);

  /// Reads what a worker reported about the executions of the round: it waits for the next round, or has ended.
  void collect(ChannelMemory& channel);
  /// Of all recordings of the round, those of executions from this number on are not needed, unless they show new
  /// reads-from pairs. collect() was not called for the workers that wait.
  std::uint64_t end_of_needed_recordings(const std::vector<ChannelMemory*>& waiting) const;
  /// Ends the round. `continues_an_entry(number)`: did the execution draw from the corpus?
  void end_round(const std::function<bool(std::uint64_t)>& continues_an_entry);
  /// Gives the corpus to a worker that does not run an execution.
  void give_to(ChannelMemory& channel) const { copy_corpus(corpus(), channel); }
  const strategies::Corpus& corpus() const {
    return *reinterpret_cast<const strategies::Corpus*>(corpus_memory_.bytes().data());
  }

  /// Everything, also what was collected of the round that has not ended.
  void save(StateWriter& out) const;
  /// Of a corpus that has seen no execution. Throws BadValue if the bytes are not what save() writes.
  void restore(StateReader& in);

  strategies::CorpusKeeper& keeper() { return keeper_; }
  const strategies::CorpusKeeper& keeper() const { return keeper_; }

 private:
  ReservedMemory corpus_memory_;
  ReservedMemory arena_memory_;
  base::Arena arena_;
  strategies::CorpusKeeper keeper_;
  struct Copy {
    std::uint64_t number;
    std::uint64_t graph;
    std::vector<std::byte> recording;
  };
  std::vector<strategies::CorpusKeeper::Execution> executions_;  ///< of this round
  std::vector<strategies::CorpusOutbox::NewPair> pairs_;
  std::vector<Copy> recordings_;
};

}  // namespace heddle::campaign
