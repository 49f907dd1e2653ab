#include "engine/reporting/finding_sink.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/hash.hpp"
#include "channel/finding_log.hpp"
#include "channel/process_end.hpp"
#include "engine/reporting/finding_description.hpp"
#include "strategies/portfolio.hpp"

namespace heddle::engine {

using channel::FindingHead;
using channel::Words;

/// The head with what the sink knows of the execution.
FindingHead FindingSink::completed(FindingHead head) const {
  head.after_race = found_race_ && channel::may_follow_from_race(head.kind);
  head.events = context_.events_executed();
  head.graph_events = known_graph_events();
  head.early_end = context_.early_end();
  if (const ProgramThread* thread = context_.current_thread()) head.thread = thread->label;
  return head;
}

void FindingSink::begin_execution(std::uint64_t number) {
  pending_.forget();
  sites_of_races_.forget();
  races_.forget();
  execution_ = number;
  found_bug_ = found_race_ = false;
  if (muted_) reported_ = {};
}

void FindingSink::add(std::uint64_t key, FindingKind kind, Words content, bool is_bug, bool is_timely) {
  for (const PendingFinding& other : pending_)
    if (other.key == key) return;
  auto copy = arena_.create_array<std::uint64_t>(content.size());
  std::memcpy(copy.data(), content.data(), content.size_bytes());
  pending_.push_back(
      arena_, {key, kind, copy, is_bug, is_timely, !found_race_ && racy_sites_.empty(), context_.events_in_graph()});
}

/// An aftermath looks for what follows from the races of its execution, in which both accesses were made. Here it may
/// come before the second one.
Words FindingSink::races_before() const {
  if (!races_.empty() || !is_aftermath_ || channel_ == nullptr) return races_.span();
  const channel::Aftermath& aftermath = channel_->progress.aftermath;
  return {aftermath.keys, aftermath.keys_count};
}

void FindingSink::remember_site(std::uint64_t site) {
  const std::uint64_t name = modules_.canonical(site);
  if (sites_of_races_.size() == channel::Aftermath::most_sites) return;
  if (std::find(sites_of_races_.begin(), sites_of_races_.end(), name) == sites_of_races_.end())
    sites_of_races_.push_back(arena_, name);
}

std::uint64_t FindingSink::bug_other_than(std::span<const std::uint64_t> keys) const {
  for (const PendingFinding& finding : pending_) {
    bool is_listed = !finding.is_bug;
    for (const std::uint64_t key : keys) is_listed |= key == finding.key;
    if (!is_listed) return finding.key;
  }
  return 0;
}

std::optional<std::uint64_t> FindingSink::events_before(std::uint64_t key) const {
  for (const PendingFinding& finding : pending_)
    if (finding.key == key) return finding.graph_events;
  return std::nullopt;
}

std::uint64_t FindingSink::known_graph_events() const {
  return context_.has_whole_graph() ? context_.events_in_graph() : 0;
}

void FindingSink::add_head(FindingHead head, std::uint64_t key) {
  head.graph_events = known_graph_events();
  const FindingDescription description({heap_, modules_, stacks_, context_}, head);
  add(key, head.kind, description.words(), channel::is_bug(head.kind), true);
}

void FindingSink::report_output() {
  add_head({.kind = FindingKind::output},
           base::hash_words(base::hash_text(channel::name_of(FindingKind::output)), execution_));
}

bool FindingSink::has_new_findings() {
  if (pending_.empty()) return false;
  channel::FindingLogWriter log(*channel_);
  for (const PendingFinding& finding : pending_)
    if (!is_shown_already(finding) && log.find(finding.key) == nullptr) return true;
  return false;
}

/// An execution that looks for consequences of races shows the races, too.
bool FindingSink::is_shown_already(const PendingFinding& finding) const {
  if (!is_aftermath_) return false;
  const channel::Aftermath& aftermath = channel_->progress.aftermath;
  const auto* const end = aftermath.keys + aftermath.keys_count;
  return !finding.is_bug || std::find(aftermath.keys, end, finding.key) != end;
}

void FindingSink::remember_shown(std::uint64_t key) {
  channel::Aftermath& aftermath = channel_->progress.aftermath;
  if (aftermath.keys_count < channel::Aftermath::most_keys) aftermath.keys[aftermath.keys_count++] = key;
}

std::uint64_t FindingSink::publish(std::span<const char> output, trace::Recorder* recorder,
                                   const strategies::Portfolio* portfolio) {
  if (pending_.empty()) return 0;
  channel::FindingLogWriter log(*channel_);
  std::uint64_t added = 0;
  std::uint64_t kinds = 0;  // that the execution has shown so far, a bit for each
  for (const PendingFinding& finding : pending_) {
    if (is_shown_already(finding)) continue;
    remember_shown(finding.key);
    const FindingKind kind = finding.kind == FindingKind::use_after_free ? FindingKind::race : finding.kind;
    const std::uint64_t kind_bit = std::uint64_t{1} << static_cast<unsigned>(kind);
    const bool is_first = (kinds & kind_bit) == 0;
    kinds |= kind_bit;
    // A search does not know which waits ended early.
    const bool is_timely = finding.is_timely && knows_early_ends_;
    if (channel::FindingRecord* known = log.find(finding.key)) {
      if (is_timely) known->is_timely.store(1, std::memory_order_relaxed);
      if (finding.is_without_race) known->is_without_race.store(1, std::memory_order_relaxed);
      known->count.fetch_add(1, std::memory_order_relaxed);
      if (is_first) known->first_count.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    const std::size_t decisions = recorder == nullptr ? 0 : recorder->size();
    const auto complete = [&](channel::FindingRecord& record, std::uint8_t* bytes) {
      if (decisions != 0) recorder->copy_to(bytes);
      if (strategy_name_ != nullptr) std::snprintf(record.strategy, sizeof record.strategy, "%s", strategy_name_);
      if (portfolio == nullptr) return;
      const strategies::SpecificationText used = portfolio->specification_of(execution_).to_text();
      static_assert(sizeof record.strategy <= sizeof used.text);
      std::memcpy(record.strategy, used.text, sizeof record.strategy - 1);
    };
    if (log.append({finding.key, execution_, recorder != nullptr, is_timely, is_first, finding.is_without_race,
                    finding.content, output, decisions},
                   complete))
      ++added;
  }
  return added;
}

void FindingSink::publish_process_end(std::uint64_t number, const channel::ProcessEndFinding& end,
                                      const strategies::Portfolio* portfolio) {
  arena_.reset();
  begin_execution(number);
  add_head({.kind = end.kind,
            .message_names_kind = end.kind == FindingKind::exit_status,
            .exit_status = end.exit_status,
            .message = end.message},
           end.key);
  publish({}, nullptr, portfolio);
}

}  // namespace heddle::engine
