// Copies of the corpus of a campaign: one for each worker, in its channel, and one on each rank that hosts workers.
// Rank 0 sends the changes of each round to the other ranks.
#pragma once

#include <cstddef>
#include <span>

#include "campaign/state/state_bytes.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "strategies/corpus.hpp"

namespace heddle::campaign {

/// A block of memory that the system provides page by page.
class ReservedMemory {
 public:
  explicit ReservedMemory(std::size_t size);
  ~ReservedMemory();
  ReservedMemory(const ReservedMemory&) = delete;
  ReservedMemory& operator=(const ReservedMemory&) = delete;
  std::span<std::byte> bytes() const { return {begin_, size_}; }

 private:
  std::byte* begin_;
  std::size_t size_;
};

/// Brings the corpus of a worker that does not run an execution up to date.
void copy_corpus(const strategies::Corpus& from, ChannelMemory& to);

/// Writes what has changed in a corpus since the state that `sent` describes. Updates `sent`.
void write_corpus_update(StateWriter& out, const strategies::Corpus& corpus, CorpusCopied& sent);
/// Applies an update to a copy that is in the state `known`, and updates `known`. Throws BadValue if the bytes are not
/// what write_corpus_update() writes, or if an update before it is missing. The copy is of no use then.
void apply_corpus_update(StateReader& in, strategies::Corpus& copy, CorpusCopied& known);

}  // namespace heddle::campaign
