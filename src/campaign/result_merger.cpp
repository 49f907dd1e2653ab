#include "campaign/result_merger.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <tuple>
#include <utility>

#include "campaign/coverage.hpp"
#include "campaign/workers/channel_gaps.hpp"
#include "findings/groups.hpp"
#include "findings/hints.hpp"
#include "findings/symbolizer.hpp"

namespace heddle::campaign {

void ResultMerger::merge(findings::Finding finding) {
  if (finding.kind == findings::FindingKind::output) {
    results_.outputs.push_back({finding.execution, std::move(finding.output), std::move(finding.decisions)});
    return;
  }
  suppress(finding);
  const auto [found, fresh] = findings_.try_emplace(finding.key);
  if (fresh || finding.execution < found->second.execution) changed_.insert(finding.key);
  if (fresh) {
    found->second = std::move(finding);
    return;
  }
  const std::uint64_t count = found->second.count + finding.count;
  const std::uint64_t first_count = found->second.first_count + finding.first_count;
  const bool is_timely = found->second.is_timely || finding.is_timely;
  const bool is_without_race = found->second.is_without_race || finding.is_without_race;
  if (finding.execution < found->second.execution) found->second = std::move(finding);
  found->second.count = count;
  found->second.first_count = first_count;
  found->second.is_timely = is_timely;
  found->second.is_without_race = is_without_race;
}

void ResultMerger::suppress(findings::Finding& finding) {
  if (suppressions_ == nullptr || suppressions_->empty()) return;
  symbolizer_.symbolize(finding);
  finding.is_suppressed = suppressions_->find(finding) != nullptr;
}

/// Removes suppressed findings, and counts them. Which executions showed nothing else is not known: the counts of the
/// other findings bound the number of buggy executions.
void ResultMerger::take_suppressed() {
  std::map<std::string, std::vector<findings::Finding>> all;  // by the suppression
  std::uint64_t others = 0;
  for (auto& [key, finding] : findings_) {
    if (is_bug(finding)) others += finding.count;
    if (!finding.is_suppressed) continue;
    symbolizer_.symbolize(finding);
    const findings::Suppression* suppression = suppressions_->find(finding);
    if (suppression == nullptr) continue;
    all[suppression->text()].push_back(std::move(finding));
  }
  if (all.empty()) return;
  std::erase_if(findings_, [](const auto& entry) { return entry.second.is_suppressed; });
  results_.statistics.buggy = std::min(results_.statistics.buggy, others);
  for (auto& [text, hidden] : all) {
    findings::group_by_root(hidden, results_.statistics.executions);
    findings::Suppressed& entry = results_.suppressed.emplace_back();
    entry.suppression = text;
    entry.findings = hidden.size();
    for (const findings::Finding& finding : hidden) entry.times += finding.count;
  }
}

void ResultMerger::add_findings(std::vector<findings::Finding> findings,
                                const std::shared_ptr<const findings::ModuleMap>& modules) {
  for (findings::Finding& finding : findings) {
    finding.modules = modules;
    merge(std::move(finding));
  }
}

void ResultMerger::add_counters(const Counters& counters) {
  findings::Statistics& sum = results_.statistics;
  sum.executions += counters.executions;
  sum.buggy += counters.buggy;
  sum.blocked += counters.blocked;
  sum.cut_off += counters.cut_off;
  sum.events += counters.events;
  sum.escapes += counters.escapes;
}

namespace {

/// Why the worker uses fork isolation, with the place in the program where an execution differed.
std::string isolation_reason(ChannelMemory& channel) {
  channel::Progress& progress = channel.progress();
  progress.isolation_reason[sizeof progress.isolation_reason - 1] = '\0';
  std::string reason = progress.isolation_reason;
  const std::uint64_t site = progress.isolation_site.load();
  if (reason.empty() || site == 0) return reason;
  findings::Finding place;
  place.stack.pcs = {site};
  place.modules = std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(channel.modules()));
  findings::Symbolizer().symbolize(place);
  if (place.stack.frames.empty() || place.stack.frames[0].file.empty()) return reason;
  const findings::Frame& frame = place.stack.frames[0];
  return reason + ", in " + frame.function + " at " + std::filesystem::path(frame.file).filename().string() + ":" +
         std::to_string(frame.line);
}

}  // namespace

void ResultMerger::update_counts(const ChannelMemory& channel, const std::vector<Announced>& numbered) {
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    if (const auto found = findings_.find(numbered[i].key); found != findings_.end()) {
      found->second.count += channel.count_of(i) - numbered[i].count;
      found->second.first_count += channel.first_count_of(i) - numbered[i].first_count;
      found->second.is_timely = found->second.is_timely || channel.is_timely(i);
      found->second.is_without_race = found->second.is_without_race || channel.is_without_race(i);
    }
  }
}

void ResultMerger::add_search(ChannelMemory& channel, const findings::Search& search,
                              const std::vector<Announced>& numbered, const Counters& counters) {
  update_counts(channel, numbered);
  add_counters(counters);
  results_.search = search;
  add_clients(channel);
  results_.findings_dropped += channel.progress().findings_dropped.load();
  channel.take_graphs(searched_graphs_);
  channel::Progress& progress = channel.progress();
  progress.failure_text[sizeof progress.failure_text - 1] = '\0';
  if (progress.failure.load() == channel::Failure::fault && results_.warning.empty())
    results_.warning = std::string("the exhaustive search that comes first ended: ") + progress.failure_text;
}

/// What is new to samples does not depend on the search. So its graphs are added when all samples have been judged.
void ResultMerger::add_searched_graphs() {
  if (searched_graphs_.empty()) return;
  (void)graphs_.add(searched_graphs_);
  first_shown_.insert(first_shown_.end(), searched_graphs_.begin(), searched_graphs_.end());
  std::sort(first_shown_.begin(), first_shown_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.hash, a.execution) < std::pair(b.hash, b.execution);
  });
  const auto is_same = [](const auto& a, const auto& b) { return a.hash == b.hash; };
  first_shown_.erase(std::unique(first_shown_.begin(), first_shown_.end(), is_same), first_shown_.end());
}

void ResultMerger::add_search_part(SearchPart part) {
  add_counters(part.counters);
  results_.abandoned += part.abandoned;
  results_.findings_dropped += part.dropped;
  for (findings::Finding& finding : part.findings) merge(std::move(finding));
}

void ResultMerger::add_search_summary(const SearchSummary& summary) {
  results_.search_finished = summary.is_finished;
  results_.estimate = summary.estimate;
  results_.explored = summary.explored;
}

void ResultMerger::add_worker(ChannelMemory& channel, const std::vector<Announced>& numbered) {
  update_counts(channel, numbered);
  add_counters(channel.counters());
  const channel::Progress& progress = channel.progress();
  if (progress.search_finished.load() != 0) results_.search_finished = true;  // a heddle::check that searches
  results_.estimate = progress.estimate.load();
  results_.explored = progress.explored.load();
  results_.abandoned = progress.abandoned.load();
  results_.findings_dropped += progress.findings_dropped.load();
  add_process(channel);
  if (rounds_.has_independent_executions()) channel.count_graphs(frequencies_);
  rounds_.add_worker(channel);
}

void ResultMerger::add_clients(ChannelMemory& channel) {
  channel::Progress& progress = channel.progress();
  const std::uint64_t count = progress.clients.load(std::memory_order_acquire);
  if (count == 0) return;
  progress.client_bounds[sizeof progress.client_bounds - 1] = '\0';
  results_.clients = {count, progress.client_bounds};
}

void ResultMerger::add_process(ChannelMemory& channel) {
  channel::Progress& progress = channel.progress();
  add_clients(channel);
  const channel::Isolation used = progress.isolation_used.load();
  if (used != channel::Isolation::automatic && results_.isolation != channel::Isolation::fork) {
    results_.isolation = used;
    results_.isolation_reason = isolation_reason(channel);
  }
  progress.warning[sizeof progress.warning - 1] = '\0';
  if (results_.warning.empty()) results_.warning = progress.warning;
  findings::ProofGaps gaps = proof_gaps(channel);
  results_.bounds.add({gaps.set.bounds(), {}});
  gaps.set = gaps.set.of_any_search();
  results_.gaps.add(gaps);
  channel.take_graphs(new_graphs_);
}

void ResultMerger::add_lost_execution(findings::Finding finding) {
  ++results_.statistics.executions;
  rounds_.add_lost_execution(finding.execution, is_bug(finding));
  finding.strategy = rounds_.strategy_of(finding.execution);
  ++(is_bug(finding) ? results_.statistics.buggy : results_.statistics.cut_off);
  merge(std::move(finding));
}

void ResultMerger::add_ordinary_end(std::uint64_t execution) {
  ++results_.statistics.executions;
  ++results_.statistics.cut_off;  // heddle did not see its end
  rounds_.add_lost_execution(execution, false);
}

void ResultMerger::learn_what_was_new() {
  const auto fresh = graphs_.add(std::exchange(new_graphs_, {}));
  first_shown_.insert(first_shown_.end(), fresh.begin(), fresh.end());
  rounds_.add_graphs(fresh);
  rounds_.see_findings(findings_);
}

void ResultMerger::next_round(const std::vector<ChannelMemory*>& waiting) {
  for (ChannelMemory* channel : waiting) channel->take_graphs(new_graphs_);
  learn_what_was_new();
  rounds_.next(waiting);
}

std::optional<std::uint64_t> ResultMerger::first_buggy_execution() const {
  std::optional<std::uint64_t> first;
  for (const auto& [key, finding] : findings_) {
    if (is_bug(finding) && (!first || finding.execution < *first)) first = finding.execution;
  }
  return first;
}

std::uint64_t ResultMerger::bugs() const {
  return static_cast<std::uint64_t>(
      std::count_if(findings_.begin(), findings_.end(), [](const auto& entry) { return is_bug(entry.second); }));
}

std::set<findings::LimitKind> ResultMerger::limits() const {
  std::set<findings::LimitKind> limits;
  for (const auto& [key, finding] : findings_)
    if (finding.kind == findings::FindingKind::limit) limits.insert(finding.limit);
  return limits;
}

std::vector<const findings::Finding*> ResultMerger::take_changed() {
  std::vector<const findings::Finding*> result;
  for (const std::uint64_t key : std::exchange(changed_, {}))
    if (const auto found = findings_.find(key); found != findings_.end() && !found->second.is_suppressed)
      result.push_back(&found->second);
  std::sort(result.begin(), result.end(), [](const auto* a, const auto* b) { return a->execution < b->execution; });
  return result;
}

void ResultMerger::forget_later_than(std::uint64_t execution, const Numbers& numbers) {
  std::erase_if(findings_, [&](const auto& entry) { return entry.second.execution > execution; });
  std::erase_if(results_.outputs, [&](const auto& output) { return output.execution > execution; });
  for (auto& [key, finding] : findings_) {
    if (!is_bug(finding) && !finding.is_warning) continue;
    finding.count = finding.first_count = 1;
    finding.is_timely = finding.early_end.nanoseconds == 0;
  }
  // All executions before the first buggy one were run, and none was buggy.
  results_.statistics.executions = numbers.before(execution) + 1;
  results_.statistics.buggy = 1;
}

SampledState ResultMerger::state() {
  learn_what_was_new();
  SampledState state;
  const findings::Statistics& s = results_.statistics;
  state.counters = {s.executions, s.buggy, s.blocked, s.cut_off, s.events, s.escapes};
  for (auto& [key, finding] : findings_) {
    findings::add_names(finding, symbolizer_);
    state.findings.push_back(finding);
  }
  state.outputs = results_.outputs;
  state.graphs = first_shown_;
  for (channel::GraphRecord& record : state.graphs) {
    const auto found = frequencies_.find(record.hash);
    record.count = found == frequencies_.end() ? 0 : found->second;
  }
  state.isolation = results_.isolation;
  state.isolation_reason = results_.isolation_reason;
  state.warning = results_.warning;
  state.gaps = results_.gaps;
  state.bounds = results_.bounds;
  state.findings_dropped = results_.findings_dropped;
  state.search = results_.search;
  state.searched = searched_graphs_;
  state.learnt = rounds_.learns() ? rounds_.learnt() : learnt_;
  state.corpus = rounds_.corpus_summary();
  return state;
}

namespace {

/// Each campaign has learnt by itself, and takes a graph for new that another one has seen.
void add_learnt(findings::Learnt& sum, const findings::Learnt& other) {
  for (const auto& part : other.parts) {
    const auto same = std::find_if(sum.parts.begin(), sum.parts.end(), [&](const auto& mine) {
      return mine.choice == part.choice && mine.value == part.value;
    });
    if (same == sum.parts.end()) {
      sum.parts.push_back(part);
      continue;
    }
    same->executions += part.executions;
    same->buggy += part.buggy;
    same->new_graphs += part.new_graphs;
  }
  for (const auto& length : other.lengths) {
    const auto same = std::find_if(sum.lengths.begin(), sum.lengths.end(),
                                   [&](const auto& mine) { return mine.parameter == length.parameter; });
    if (same == sum.lengths.end()) {
      sum.lengths.push_back(length);
      continue;
    }
    same->usual = std::max(same->usual, length.usual);
    same->longest = std::max(same->longest, length.longest);
  }
}

}  // namespace

void ResultMerger::add_all_but_graphs(SampledState& state) {
  add_counters(state.counters);
  for (findings::Finding& finding : state.findings) merge(std::move(finding));
  results_.outputs.insert(results_.outputs.end(), state.outputs.begin(), state.outputs.end());
  for (const channel::GraphRecord& record : state.graphs)
    if (record.count != 0) frequencies_[record.hash] += record.count;
  if (state.isolation != run::Isolation::automatic && results_.isolation != run::Isolation::fork) {
    results_.isolation = state.isolation;
    results_.isolation_reason = state.isolation_reason;
  }
  if (results_.warning.empty()) results_.warning = state.warning;
  results_.gaps.add(state.gaps);
  results_.bounds.add(state.bounds);
  results_.findings_dropped += state.findings_dropped;
  if (state.search.executions != 0) results_.search = state.search;
  searched_graphs_.insert(searched_graphs_.end(), state.searched.begin(), state.searched.end());
}

void ResultMerger::add_state(SampledState state) {
  add_all_but_graphs(state);
  // All at once, when the results are made: a later state may have shown a graph earlier.
  new_graphs_.insert(new_graphs_.end(), state.graphs.begin(), state.graphs.end());
  add_learnt(learnt_, state.learnt);
  corpus_.add(state.corpus);
}

void ResultMerger::restore(SampledState state) {
  add_all_but_graphs(state);
  // The rounds know these graphs.
  (void)graphs_.add(state.graphs);
  first_shown_ = std::move(state.graphs);
}

findings::Coverage ResultMerger::coverage(const Numbers& numbers) const {
  std::vector<std::uint64_t> first_executions;
  for (const channel::GraphRecord& record : first_shown_) first_executions.push_back(numbers.before(record.execution));
  CorpusSummary corpus = rounds_.corpus_summary();
  corpus.add(corpus_);
  findings::Coverage coverage = describe_coverage(std::move(first_executions), 0, results_.statistics.executions,
                                                  frequencies_, corpus.exists ? &corpus : nullptr);
  if (!first_shown_.empty()) coverage.last_new_graph = numbers.first + coverage.last_new_graph * numbers.stride;
  return coverage;
}

findings::Results ResultMerger::finish(bool stop_on_bug, const Numbers& numbers) {
  const auto first_bug = first_buggy_execution();
  if (stop_on_bug && first_bug) forget_later_than(*first_bug, numbers);
  learn_what_was_new();
  add_searched_graphs();
  take_suppressed();
  results_.statistics.distinct_graphs = results_.search.is_proof() ? results_.search.graphs() : graphs_.size();
  results_.statistics.graphs_hash = graphs_.hash();
  // Which executions after the first bug were run depends on the speed of the workers.
  if (!(stop_on_bug && first_bug)) results_.coverage = coverage(numbers);
  results_.coverage.buggy_graphs = static_cast<std::uint64_t>(
      std::count_if(first_shown_.begin(), first_shown_.end(), [](const auto& record) { return record.is_buggy != 0; }));
  if (!(stop_on_bug && first_bug)) results_.learnt = rounds_.learns() ? rounds_.learnt() : learnt_;
  for (auto& [key, finding] : findings_) results_.findings.push_back(std::move(finding));
  // Many programs ignore spurious wake-ups on purpose: findings that need one come last.
  const auto place = [](const findings::Finding& finding) {
    return std::tuple(findings::needs_spurious_wake_up(finding), finding.execution, finding.key);
  };
  std::sort(results_.findings.begin(), results_.findings.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  findings::link_consequences(results_.findings);
  std::sort(results_.outputs.begin(), results_.outputs.end(),
            [](const auto& a, const auto& b) { return a.execution < b.execution; });
  return std::move(results_);
}

}  // namespace heddle::campaign
