#include "campaign/learning/campaign_corpus.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_set>

namespace heddle::campaign {

using strategies::Corpus;
using strategies::CorpusOutbox;
using strategies::Recording;

namespace {
// Counts of graphs: 16 bytes each, and twice that while the table grows.
constexpr std::size_t arena_size = std::size_t{16} << 30;
}  // namespace

CampaignCorpus::CampaignCorpus(const strategies::CorpusRule& rule, std::uint64_t seed)
    : corpus_memory_(sizeof(Corpus)), arena_memory_(arena_size), arena_(arena_memory_.bytes()),
      keeper_(*reinterpret_cast<Corpus*>(corpus_memory_.bytes().data()), rule, seed, arena_) {}

/// The program under test can overwrite the outbox, so every number in it is checked.
void CampaignCorpus::collect(ChannelMemory& channel) {
  CorpusOutbox& outbox = channel.outbox();
  const auto executions = std::min<std::uint64_t>(outbox.execution_count, strategies::most_in_corpus_round);
  for (std::uint64_t i = 0; i < executions; ++i)
    executions_.push_back({outbox.executions[i].number, outbox.executions[i].graph, false});
  keeper_.add_plans(outbox.plans, outbox.planned_events);
  const auto pairs = std::min<std::uint64_t>(outbox.pair_count, Corpus::most_known_pairs);
  pairs_.insert(pairs_.end(), outbox.pairs, outbox.pairs + pairs);
  const auto recordings = std::min<std::uint64_t>(outbox.recording_count, 2 * strategies::most_recordings);
  for (std::uint64_t i = 0; i < recordings; ++i) {
    CorpusOutbox::Slot& slot = outbox.recordings[i];
    const std::size_t size = std::min(Recording(slot.recording).size(), Recording::capacity);
    Copy copy{slot.number, slot.graph, {slot.recording, slot.recording + size}};
    if (Recording(copy.recording.data()).is_valid(size)) recordings_.push_back(std::move(copy));
  }
}

/// The keeper takes the first executions of the round that show new graphs. A worker recorded each of them, since its
/// graph was new to the worker, too. A recording that is not there yet could only lower the number.
std::uint64_t CampaignCorpus::end_of_needed_recordings(const std::vector<ChannelMemory*>& waiting) const {
  struct Shown {
    std::uint64_t number, graph;
    auto operator<=>(const Shown&) const = default;
  };
  std::vector<Shown> shown;
  for (const Copy& copy : recordings_) shown.push_back({copy.number, copy.graph});
  for (const ChannelMemory* channel : waiting) {
    const CorpusOutbox& outbox = channel->outbox();
    const auto recordings = std::min<std::uint64_t>(outbox.recording_count, 2 * strategies::most_recordings);
    for (std::uint64_t i = 0; i < recordings; ++i)
      shown.push_back({outbox.recordings[i].number, outbox.recordings[i].graph});
  }
  std::sort(shown.begin(), shown.end());
  std::unordered_set<std::uint64_t> fresh;
  for (const auto& [number, graph] : shown) {
    if (keeper_.graphs().of(graph) == 0) fresh.insert(graph);
    if (fresh.size() == strategies::most_recordings) return number + 1;
  }
  return no_execution;
}

void CampaignCorpus::end_round(const std::function<bool(std::uint64_t)>& continues_an_entry) {
  const auto by_number = [](const auto& a, const auto& b) { return a.number < b.number; };
  std::sort(executions_.begin(), executions_.end(), by_number);
  std::stable_sort(pairs_.begin(), pairs_.end(), by_number);
  std::sort(recordings_.begin(), recordings_.end(), by_number);
  for (auto& execution : executions_) execution.continues_an_entry = continues_an_entry(execution.number);
  std::vector<strategies::CorpusKeeper::Candidate> candidates;
  for (Copy& copy : recordings_) candidates.push_back({copy.number, copy.graph, Recording(copy.recording.data())});
  keeper_.end_round(executions_, candidates, pairs_);
  executions_.clear();
  pairs_.clear();
  recordings_.clear();
}

void CampaignCorpus::save(StateWriter& out) const {
  const Corpus& corpus = this->corpus();
  for (const std::uint32_t number : {corpus.count, corpus.round, corpus.loaded}) out.value(number);
  out.list(std::span(corpus.entries, corpus.count));
  out.list(std::span(corpus.graphs, corpus.known_graphs));
  out.list(std::span(corpus.pairs, corpus.known_pairs));
  out.list(corpus.sources());
  for (std::uint32_t i = 0; i < corpus.count; ++i) {
    auto* recording = const_cast<std::byte*>(corpus.recordings[i]);
    out.list(std::span<const std::byte>(recording, Recording(recording).size()));
  }
  const auto memory = std::make_unique<strategies::CorpusKeeper::Memory>();
  keeper_.save(*memory);
  out.value(*memory);
  for (const auto* counts : {&keeper_.graphs(), &keeper_.pairs()}) {
    std::vector<strategies::HashCounts::Count> used;
    for (const auto& count : counts->table())
      if (count.hash != 0) used.push_back(count);
    out.list(std::span<const strategies::HashCounts::Count>(used));
  }
  out.list(std::span(executions_));
  out.list(std::span(pairs_));
  out.value(recordings_.size());
  for (const Copy& copy : recordings_) {
    out.value(copy.number);
    out.value(copy.graph);
    out.list(std::span(copy.recording));
  }
}

void CampaignCorpus::restore(StateReader& in) {
  Corpus& corpus = *reinterpret_cast<Corpus*>(corpus_memory_.bytes().data());
  for (std::uint32_t* number : {&corpus.count, &corpus.round, &corpus.loaded}) in.value(*number);
  const auto put = [&]<typename T>(T* to, std::size_t most, auto& size) {
    const auto values = in.list<T>();
    if (values.size() > most) throw BadValue{};
    std::copy(values.begin(), values.end(), to);
    size = static_cast<std::remove_reference_t<decltype(size)>>(values.size());
  };
  std::uint32_t entries = 0;
  put(corpus.entries, Corpus::most_entries, entries);
  if (entries != corpus.count || corpus.loaded > corpus.count) throw BadValue{};
  put(corpus.graphs, Corpus::most_known_graphs, corpus.known_graphs);
  put(corpus.pairs, Corpus::most_known_pairs, corpus.known_pairs);
  put(corpus.source_sites, Corpus::most_source_sites, corpus.source_site_count);
  for (std::uint32_t i = 0; i < corpus.count; ++i) {
    std::size_t size = 0;
    put(corpus.recordings[i], Recording::capacity, size);
    if (!Recording(corpus.recordings[i]).is_valid(size)) throw BadValue{};
  }
  const auto memory = std::make_unique<strategies::CorpusKeeper::Memory>();
  in.value(*memory);
  const auto graphs = in.list<strategies::HashCounts::Count>(), pairs = in.list<strategies::HashCounts::Count>();
  keeper_.restore(*memory, graphs, pairs);
  executions_ = in.list<strategies::CorpusKeeper::Execution>();
  pairs_ = in.list<strategies::CorpusOutbox::NewPair>();
  std::size_t recordings = 0;
  in.value(recordings);
  for (std::size_t i = 0; i < recordings; ++i) {
    Copy copy{};
    in.value(copy.number);
    in.value(copy.graph);
    copy.recording = in.list<std::byte>();
    if (!Recording(copy.recording.data()).is_valid(copy.recording.size())) throw BadValue{};
    recordings_.push_back(std::move(copy));
  }
}

}  // namespace heddle::campaign
