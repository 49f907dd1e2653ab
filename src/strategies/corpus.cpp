#include "strategies/corpus.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/hash.hpp"
#include "base/random.hpp"

namespace heddle::strategies {

namespace {

constexpr std::uint64_t first_round = 8;
constexpr std::uint64_t rounds_an_octave = 16;
// The draw of an entry is independent of the draws of the strategies that run the execution.
constexpr std::uint64_t draw_salt = 0x66757a7a636f7270ULL;
// At least this part of the executions that may draw an entry starts from nothing: what no entry leads to is found too.
constexpr double least_from_nothing = 0.1, most_from_nothing = 0.95;
// As long as fewer executions from nothing were seen, half of the executions start so: what they bring is not known.
constexpr double least_tries_from_nothing = 16, share_while_unknown = 0.5;
// What an entry brought long ago tells little about what it will bring: yields fade by this factor a round.
constexpr double fading = 0.95;
// If more of the executions of a round have new graphs, graphs do not tell executions apart.
constexpr double most_new_graphs = 0.9;
constexpr std::uint64_t least_to_judge = 64;
// Tries and finds of an entry that count beside the real ones.
constexpr double trust = 32;

}  // namespace

std::uint64_t corpus_round_end(std::uint64_t number) {
  if (number < first_round) return first_round;
  const std::uint64_t octave = std::bit_floor(number);
  const std::uint64_t length = std::clamp<std::uint64_t>(octave / rounds_an_octave, 1, most_in_corpus_round);
  return octave + ((number - octave) / length + 1) * length;
}

std::uint32_t Corpus::draw(std::uint64_t seed, std::uint64_t execution) const {
  if (repeats_an_entry(execution)) return static_cast<std::uint32_t>(execution);
  const auto position = static_cast<std::uint32_t>(base::Random::first_below(whole, seed ^ draw_salt, execution));
  const Entry* found = std::upper_bound(entries, entries + count, position,
                                        [](std::uint32_t at, const Entry& entry) { return at < entry.end; });
  return found == entries + count ? none : static_cast<std::uint32_t>(found - entries);
}

std::size_t HashCounts::place(std::span<const Count> table, std::uint64_t hash) {
  std::size_t at = hash & (table.size() - 1);
  while (table[at].hash != 0 && table[at].hash != hash) at = (at + 1) & (table.size() - 1);
  return at;
}

std::uint32_t HashCounts::add(std::uint64_t hash) {
  if (hash == 0) hash = 1;
  std::size_t at = place(table_, hash);
  if (table_[at].hash == 0) {
    if ((size_ + 1) * 2 > table_.size()) {
      const auto larger = arena_.create_array<Count>(table_.size() * 4);
      for (const Count& count : table_)
        if (count.hash != 0) larger[place(larger, count.hash)] = count;
      table_ = larger;
      at = place(table_, hash);
    }
    table_[at].hash = hash;
    ++size_;
  }
  return table_[at].count++;
}

std::uint32_t HashCounts::of(std::uint64_t hash) const { return table_[place(table_, hash == 0 ? 1 : hash)].count; }

void HashCounts::clear() {
  for (Count& count : table_) count = {};
  size_ = 0;
}

void HashCounts::set(std::uint64_t hash, std::uint32_t count) {
  (void)add(hash);
  table_[place(table_, hash == 0 ? 1 : hash)].count = count;
}

std::uint64_t pair_hash(std::uint64_t read_site, std::uint64_t write_site) {
  return base::hash_words(read_site, write_site);
}

// ---- the reporter -------------------------------------------------------------------------------------------------

void CorpusReporter::begin_round() {
  outbox_.clear();
  pairs_told_ = 0;
  for (; pairs_known_ < corpus_.known_pairs && pairs_known_ < Corpus::most_known_pairs; ++pairs_known_)
    pairs_.add(corpus_.pairs[pairs_known_]);
}

void CorpusReporter::absorb_pairs() {
  for (; pairs_told_ < outbox_.pair_count; ++pairs_told_) pairs_.add(outbox_.pairs[pairs_told_].pair);
}

/// Reports the reads-from pairs of the execution that are new. False: there are none.
bool CorpusReporter::add_pairs(std::uint64_t number, const graph::ExecutionGraph& graph) {
  const std::uint64_t before = outbox_.pair_count;
  for (const graph::Event& event : graph.events()) {
    if (!graph::reads(event.kind) || event.reads_from == graph::no_event) continue;
    const std::uint64_t pair =
        pair_hash(sites_.name_of(event.site), sites_.name_of(graph.event(event.reads_from).site));
    if (pairs_.of(pair) != 0 || outbox_.pair_count == Corpus::most_known_pairs) continue;
    outbox_.pairs[outbox_.pair_count++] = {pair, number};
    absorb_pairs();
  }
  return outbox_.pair_count != before;
}

void CorpusReporter::add(std::uint64_t number, std::uint64_t graph_hash, bool is_new_graph,
                         const graph::ExecutionGraph& graph, StoreRule stores, const CorpusUser& user) {
  if (outbox_.execution_count == most_in_corpus_round) return;
  outbox_.executions[outbox_.execution_count++] = {number, graph_hash};
  if (const std::size_t planned = user.planned_events(); planned != 0) {
    ++outbox_.plans;
    outbox_.planned_events += planned;
  }
  if (!is_new_graph) return;
  absorb_pairs();
  const bool is_early_pair = outbox_.pair_count < most_recordings;
  const bool has_new_pair = add_pairs(number, graph);
  const bool is_early_graph = outbox_.new_graphs++ < most_recordings;
  if (!is_early_graph && !(is_early_pair && has_new_pair)) return;
  CorpusOutbox::Slot& slot = outbox_.recordings[outbox_.recording_count];
  Recording recording(slot.recording);
  if (!recording.write(graph, stores, user.details(), scratch_, sites_)) return;
  recording.set_inherited(static_cast<std::uint32_t>(user.inherited_events()));
  slot.number = number;
  slot.graph = graph_hash;
  ++outbox_.recording_count;
}

// ---- the keeper ---------------------------------------------------------------------------------------------------

CorpusKeeper::CorpusKeeper(Corpus& corpus, const CorpusRule& rule, std::uint64_t seed, base::Arena& arena)
    : corpus_(corpus), rule_(rule), seed_(seed), arena_(arena), mutator_(arena), graphs_(arena), pairs_(arena),
      follows_pairs_(rule.feedback == CorpusRule::Feedback::pairs),
      yields_(arena.create_array<Yield>(Corpus::most_entries)),
      weights_(arena.create_array<double>(Corpus::most_entries)), pairs_of_entries_(arena),
      rarest_pairs_(arena.create_array<std::uint32_t>(Corpus::most_entries)) {
  corpus.clear();
}

void CorpusKeeper::save(Memory& memory) const {
  memory = {.executions = executions_,
            .plans = plans_,
            .planned_events = planned_events_,
            .sum_of_squares = sum_of_squares_,
            .follows_pairs = follows_pairs_ ? 1U : 0U,
            .from_nothing = from_nothing_,
            .from_entries = from_entries_,
            .yields = {},
            .weights = {}};
  std::copy(yields_.begin(), yields_.end(), memory.yields);
  std::copy(weights_.begin(), weights_.end(), memory.weights);
}

void CorpusKeeper::restore(const Memory& memory, std::span<const HashCounts::Count> graphs,
                           std::span<const HashCounts::Count> pairs) {
  executions_ = memory.executions;
  plans_ = memory.plans;
  planned_events_ = memory.planned_events;
  sum_of_squares_ = memory.sum_of_squares;
  follows_pairs_ = memory.follows_pairs != 0;
  from_nothing_ = memory.from_nothing;
  from_entries_ = memory.from_entries;
  std::copy(memory.yields, memory.yields + Corpus::most_entries, yields_.begin());
  std::copy(memory.weights, memory.weights + Corpus::most_entries, weights_.begin());
  for (const HashCounts::Count& count : graphs) graphs_.set(count.hash, count.count);
  for (const HashCounts::Count& count : pairs) pairs_.set(count.hash, count.count);
  count_pairs();
}

double CorpusKeeper::relative_frequency(std::uint64_t graph) const {
  if (sum_of_squares_ == 0) return 0;
  const double frequency = graphs_.of(graph);
  return frequency * frequency * static_cast<double>(graphs_.size()) / sum_of_squares_;
}

void CorpusKeeper::end_round(std::span<const Execution> executions, std::span<const Candidate> candidates,
                             std::span<const NewPair> pairs) {
  for (std::uint32_t i = 0; i < corpus_.count; ++i) {
    yields_[i].tries *= fading;
    yields_[i].found *= fading;
  }
  for (Yield* yield : {&from_nothing_, &from_entries_}) {
    yield->tries *= fading;
    yield->found *= fading;
  }
  Yield unused;
  interesting_.clear();
  std::uint64_t fresh_graphs = 0, fresh_pairs = 0;
  std::size_t pair = 0;
  for (const Execution& execution : executions) {
    const std::uint32_t before = graphs_.add(execution.graph);
    sum_of_squares_ += 2 * static_cast<double>(before) + 1;
    fresh_graphs += before == 0 ? 1 : 0;
    if (before == 0 && corpus_.known_graphs < Corpus::most_known_graphs)
      corpus_.graphs[corpus_.known_graphs++] = execution.graph;
    bool has_new_pair = false;
    const bool is_early = fresh_pairs < most_recordings;
    for (; pair < pairs.size() && pairs[pair].number <= execution.number; ++pair)
      if (pairs_.add(pairs[pair].pair) == 0) {
        has_new_pair = true;
        ++fresh_pairs;
        if (corpus_.known_pairs < Corpus::most_known_pairs) corpus_.pairs[corpus_.known_pairs++] = pairs[pair].pair;
      }
    const bool is_new = has_new_pair || (before == 0 && !follows_pairs_);
    const bool is_recorded = (before == 0 && fresh_graphs <= most_recordings) || (is_early && has_new_pair);
    if (is_new && is_recorded) interesting_.push_back(arena_, execution.number);
    if (!execution.continues_an_entry) continue;
    const std::uint32_t entry = corpus_.draw(seed_, execution.number);
    for (Yield* yield :
         {entry == Corpus::none ? &from_nothing_ : &yields_[entry], entry == Corpus::none ? &unused : &from_entries_}) {
      ++yield->tries;
      if (is_new) ++yield->found;
    }
  }
  executions_ += executions.size();
  ++corpus_.round;
  std::size_t next = 0;
  bool has_new_entry = false;
  for (std::uint32_t i = 0; i < corpus_.count; ++i) weights_[i] = weight_of(i);
  for (const Candidate& candidate : candidates) {
    while (next < interesting_.size() && interesting_[next] < candidate.number) ++next;
    if (next == interesting_.size() || interesting_[next] != candidate.number || is_loaded(candidate.graph)) continue;
    put(free_entry(), candidate.recording, candidate.graph, candidate.number);
    has_new_entry = true;
  }
  if (has_new_entry) count_pairs();
  if (rule_.feedback == CorpusRule::Feedback::learnt && executions.size() >= least_to_judge)
    follows_pairs_ = static_cast<double>(fresh_graphs) > most_new_graphs * static_cast<double>(executions.size());
  set_shares();
}

bool CorpusKeeper::add(const Recording& recording, std::uint64_t graph, Corpus::Origin origin) {
  if (corpus_.count == Corpus::most_entries) return false;
  ++corpus_.round;
  const std::uint32_t entry = free_entry();
  put(entry, recording, graph, 0);
  corpus_.entries[entry].origin = origin;
  corpus_.loaded = corpus_.count;
  count_pairs();
  set_shares();
  return true;
}

/// Is there an entry of an earlier campaign with this graph? One of another build does not count: the new entry
/// replaces it.
bool CorpusKeeper::is_loaded(std::uint64_t graph) const {
  for (std::uint32_t i = 0; i < corpus_.loaded; ++i)
    if (corpus_.entries[i].graph == graph && corpus_.entries[i].origin == Corpus::Origin::this_build) return true;
  return false;
}

/// An unused entry, or the one with the least weight.
std::uint32_t CorpusKeeper::free_entry() {
  if (corpus_.count < Corpus::most_entries) return corpus_.count++;
  return static_cast<std::uint32_t>(std::min_element(weights_.begin(), weights_.end()) - weights_.begin());
}

void CorpusKeeper::put(std::uint32_t entry, const Recording& recording, std::uint64_t graph, std::uint64_t number) {
  corpus_.entries[entry] = {
      .graph = graph, .execution = number, .end = 0, .round = corpus_.round, .origin = Corpus::Origin::this_build};
  std::memcpy(corpus_.recordings[entry], recording.bytes(), recording.size());
  Recording kept = corpus_.recording(entry);
  mutator_.count_targets(kept);
  yields_[entry] = {};
  weights_[entry] = 1;
}

/// For each entry, how rare is the rarest of its reads-from pairs? In a program with very many graphs, each of them is
/// seen once, and pairs tell which entries got far.
void CorpusKeeper::count_pairs() {
  const auto for_each_pair = [this](std::uint32_t entry, const auto& use) {
    const Recording recording = corpus_.recording(entry);
    const auto events = std::as_const(recording).events();
    for (const RecordedEvent& event : events)
      if (graph::reads(event.kind))
        use(pair_hash(event.site, event.reads_from == no_position ? 0 : events[event.reads_from].site));
  };
  pairs_of_entries_.clear();
  for (std::uint32_t i = 0; i < corpus_.count; ++i)
    for_each_pair(i, [this](std::uint64_t pair) { pairs_of_entries_.add(pair); });
  for (std::uint32_t i = 0; i < corpus_.count; ++i) {
    std::uint32_t rarest = Corpus::most_entries;
    for_each_pair(i, [&](std::uint64_t pair) { rarest = std::min(rarest, pairs_of_entries_.of(pair)); });
    rarest_pairs_[i] = rarest;
  }
}

/// Where graphs come back, rare graphs lead to new ones, and what an entry brought counts less: an entry that leads to
/// a rare graph only once in a hundred tries may be the only one that does. An entry that was not tried yet counts as
/// one that has always brought something new.
double CorpusKeeper::weight_of(std::uint32_t entry) const {
  const Yield& yield = yields_[entry];
  if (rule_.interest == CorpusRule::Interest::rare &&
      relative_frequency(corpus_.entries[entry].graph) >= rule_.threshold)
    return 0;
  const double rarity = 1.0 / std::max(1U, graphs_.of(corpus_.entries[entry].graph));
  return (yield.found + trust) / (yield.tries + trust) * rarity * rarity * rarity / rarest_pairs_[entry];
}

/// Where nearly every execution is new, plans bring less than chance does, since they repeat a part of what was seen.
/// Few finds are no proof of that: two standard deviations of the finds from nothing do not count.
double CorpusKeeper::share_from_nothing() const {
  const double certain = from_nothing_.found - 2 * __builtin_sqrt(from_nothing_.found);
  const double nothing = std::max(0.0, certain) / (from_nothing_.tries + 1);
  const double entries = (from_entries_.found + 1) / (from_entries_.tries + 1);
  const auto cube = [](double x) { return x * x * x; };
  const double least = from_nothing_.tries < least_tries_from_nothing ? share_while_unknown : least_from_nothing;
  return std::clamp(cube(nothing) / (cube(nothing) + cube(entries)), least, most_from_nothing);
}

void CorpusKeeper::set_shares() {
  double sum = 0;
  for (std::uint32_t i = 0; i < corpus_.count; ++i) sum += weight_of(i);
  const double for_nothing = share_from_nothing();
  double end = 0;
  for (std::uint32_t i = 0; i < corpus_.count; ++i) {
    if (sum > 0) end += weight_of(i) / sum;
    corpus_.entries[i].end = static_cast<std::uint32_t>(end * (1 - for_nothing) * Corpus::whole);
  }
}

}  // namespace heddle::strategies
