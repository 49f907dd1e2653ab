#include "cluster/channel_report.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "channel/finding_log.hpp"

namespace heddle::cluster {

using channel::Channel;
using channel::FindingRecord;
using channel::GraphRecord;
using channel::Progress;
using channel::SubtreeTask;
using strategies::CorpusOutbox;
using strategies::Recording;

namespace {

// The members that a worker writes, as words: all of Progress, and the second part of SubtreeTask.
constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t progress_begin = offsetof(Channel, progress);
constexpr std::size_t totals_begin = progress_begin + offsetof(Progress, totals);
constexpr std::size_t totals_end = totals_begin + sizeof(Progress::totals);
constexpr std::size_t task_begin = offsetof(Channel, task) + offsetof(SubtreeTask, ended);
constexpr std::size_t task_end = offsetof(Channel, task) + sizeof(SubtreeTask);
static_assert(progress_begin % word == 0 && totals_begin % word == 0 && totals_end % word == 0);
static_assert(task_begin % word == 0 && task_end % word == 0);
static_assert(totals_end == progress_begin + sizeof(Progress));

/// Calls function(offset in the channel) for every word.
template <typename Function>
void for_each_word(bool with_totals, Function function) {
  for (std::size_t at = task_begin; at < task_end; at += word) function(at);
  for (std::size_t at = progress_begin; at < (with_totals ? totals_end : totals_begin); at += word) function(at);
}
constexpr std::size_t word_count = (task_end - task_begin + totals_end - progress_begin) / word;

std::uint64_t& word_at(Channel& channel, std::size_t offset) {
  return *reinterpret_cast<std::uint64_t*>(channel.at(offset));
}

/// The member of a list of words that is at this place of the channel.
template <typename T>
T& in_words(std::vector<std::uint64_t>& words, std::size_t offset) {
  const std::size_t at = offset >= progress_begin && offset < totals_end
                             ? task_end - task_begin + offset - progress_begin
                             : offset - task_begin;
  return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(words.data()) + at);
}

constexpr std::size_t in_progress(std::size_t member) { return progress_begin + member; }

const GraphRecord* graphs_of(Channel& channel) {
  return reinterpret_cast<const GraphRecord*>(channel.at(channel::graphs_offset));
}
CorpusOutbox& outbox_of(Channel& channel) {
  return *reinterpret_cast<CorpusOutbox*>(channel.at(channel::outbox_offset));
}

void check(bool condition) {
  if (!condition) throw BadValue{};
}

}  // namespace

/// Executions are dealt to workers by number, so the number of those that the driver needs of one worker has about the
/// variance of a Poisson distribution. Two standard deviations above the mean are exceeded once in 50 reports.
std::uint64_t usual_recordings(std::size_t workers) {
  const double share = static_cast<double>(strategies::most_recordings) / static_cast<double>(workers);
  return static_cast<std::uint64_t>(std::ceil(share + 2 * std::sqrt(share))) + 1;
}

// ---- the rank of the worker -------------------------------------------------------------------------------------

ChannelReporter::ChannelReporter(ChannelMemory& channel, ReportScope scope)
    : channel_(channel.whole()), scope_(scope), words_(word_count) {
  // All that is not 0 in a new channel.
  in_words<std::uint64_t>(words_, in_progress(offsetof(Progress, current_execution))) =
      channel_.request.first_execution;
}

ChannelReporter::Flags ChannelReporter::read_flags() const {
  const Progress& progress = channel_.progress;
  Flags flags;
  flags.state = progress.state.load(std::memory_order_acquire);
  flags.awaits_round = progress.awaits_round.load(std::memory_order_acquire);
  flags.waits_at_gate = progress.waits_at_gate.load(std::memory_order_acquire);
  flags.task_ended = channel_.task.ended.load(std::memory_order_acquire);
  flags.awaits_task = progress.awaits_task.load(std::memory_order_acquire);
  flags.gifts = channel_.task.gifts.load(std::memory_order_acquire);
  flags.failure = progress.failure.load(std::memory_order_acquire);
  const std::uint64_t cut_off = progress.cut_off.load(std::memory_order_acquire);
  flags.has_end = flags_.has_end || progress.executions.load(std::memory_order_acquire) > cut_off;
  return flags;
}

bool ChannelReporter::is_urgent() const {
  return read_flags() != flags_ || channel_.progress.findings_size.load(std::memory_order_acquire) != findings_size_;
}

bool ChannelReporter::is_due() const {
  const Progress& progress = channel_.progress;
  auto& words = const_cast<std::vector<std::uint64_t>&>(words_);
  const auto has_changed = [&](std::uint64_t value, std::size_t member) {
    return value != in_words<std::uint64_t>(words, in_progress(member));
  };
  return has_changed(progress.executions.load(), offsetof(Progress, executions)) ||
         has_changed(progress.current_events.load(), offsetof(Progress, current_events)) ||
         has_changed(progress.current_execution.load(), offsetof(Progress, current_execution));
}

void ChannelReporter::read_words(std::vector<std::uint64_t>& words, bool with_totals) const {
  words = words_;
  std::size_t i = 0;
  for_each_word(with_totals, [&](std::size_t at) {
    words[i++] = std::atomic_ref<std::uint64_t>(word_at(channel_, at)).load(std::memory_order_relaxed);
  });
  // The worker adds to the other counters before it adds to the number of executions.
  std::atomic_thread_fence(std::memory_order_acquire);
  in_words<std::uint64_t>(words, in_progress(offsetof(Progress, executions))) = channel_.progress.executions.load();
  in_words<std::uint32_t>(words, in_progress(offsetof(Progress, stop))) = 0;  // the driver writes it
}

void ChannelReporter::write(StateWriter& out, bool is_last, const Counters* plausible) {
  const Flags flags = read_flags();
  const bool is_settled = plausible == nullptr && (is_last || flags.waits() || flags.task_ended != flags_.task_ended);
  std::vector<std::uint64_t> words = words_;
  if (plausible == nullptr) {
    read_words(words, is_settled);
    in_words<std::uint32_t>(words, in_progress(offsetof(Progress, state))) = static_cast<std::uint32_t>(flags.state);
    in_words<std::uint32_t>(words, in_progress(offsetof(Progress, awaits_round))) = flags.awaits_round;
    in_words<std::uint64_t>(words, in_progress(offsetof(Progress, waits_at_gate))) = flags.waits_at_gate;
    in_words<std::uint32_t>(words, in_progress(offsetof(Progress, awaits_task))) = flags.awaits_task;
    in_words<std::uint32_t>(words, task_begin) = flags.task_ended;
    in_words<std::uint64_t>(words, offsetof(Channel, task) + offsetof(SubtreeTask, gifts)) = flags.gifts;
  } else {
    const std::pair<std::size_t, std::uint64_t> counters[] = {
        {offsetof(Progress, executions), plausible->executions}, {offsetof(Progress, buggy), plausible->buggy},
        {offsetof(Progress, blocked), plausible->blocked},       {offsetof(Progress, cut_off), plausible->cut_off},
        {offsetof(Progress, events), plausible->events},         {offsetof(Progress, escapes), plausible->escapes}};
    for (const auto& [member, value] : counters) in_words<std::uint64_t>(words, in_progress(member)) = value;
  }
  const std::uint64_t modules = std::min(in_words<std::uint64_t>(words, in_progress(offsetof(Progress, modules_size))),
                                         channel::modules_capacity);
  const bool has_gift = flags.gifts != flags_.gifts && plausible == nullptr;
  const bool has_outbox =
      scope_.recordings != 0 && plausible == nullptr && (is_last || (flags.awaits_round != 0 && flags != flags_));
  flags_ = flags;
  out.number(channel_.task.number.load());
  out.changes(words_, words);
  words_ = words;
  out.text(
      {reinterpret_cast<const char*>(channel_.at(channel::modules_offset)), modules_size_ == modules ? 0 : modules});
  modules_size_ = modules;
  write_findings(out, is_settled);
  write_graphs(out, is_last);
  const std::uint64_t gift_size = has_gift ? std::min(channel_.task.gift_size, channel::gift_capacity) : 0;
  out.text({reinterpret_cast<const char*>(channel_.at(channel::gift_offset)), gift_size});
  out.number(has_outbox ? 1 : 0);
  if (has_outbox) write_outbox(out, is_last);
}

void ChannelReporter::task_begun() {
  in_words<std::uint64_t>(words_, offsetof(Channel, task) + offsetof(SubtreeTask, runs)) = 0;
  in_words<std::uint64_t>(words_, in_progress(offsetof(Progress, findings_size))) = 0;
  findings_size_ = 0;
  records_.clear();
}

/// New records as they are in the channel, and the new counts of all.
void ChannelReporter::write_findings(StateWriter& out, bool is_settled) {
  const std::uint64_t end = std::min(in_words<std::uint64_t>(words_, in_progress(offsetof(Progress, findings_size))),
                                     channel::findings_capacity);
  const std::uint64_t begin = std::min(findings_size_, end);
  out.text({reinterpret_cast<const char*>(channel_.at(channel::findings_offset + begin)), end - begin});
  for (std::uint64_t at = begin; at + sizeof(FindingRecord) <= end;) {
    const auto& record = *reinterpret_cast<const FindingRecord*>(channel_.at(channel::findings_offset + at));
    records_.push_back({at, ~std::uint64_t{0}, 0, 0, 0});
    const std::uint64_t size = size_in_log(record);
    if (size > end - at) break;  // the program has overwritten it
    at += size;
  }
  findings_size_ = end;
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; is_settled && i < records_.size(); ++i) {
    const auto& record =
        *reinterpret_cast<const FindingRecord*>(channel_.at(channel::findings_offset + records_[i].offset));
    const std::uint64_t count = record.count.load(), is_timely = record.is_timely.load(),
                        is_without_race = record.is_without_race.load();
    if (count == records_[i].count && is_timely == records_[i].is_timely &&
        is_without_race == records_[i].is_without_race)
      continue;
    records_[i].count = count;
    records_[i].first_count = record.first_count.load();
    records_[i].is_timely = is_timely;
    records_[i].is_without_race = is_without_race;
    changed.push_back(i);
  }
  out.number(changed.size());
  for (const std::size_t i : changed) {
    out.number(i);
    out.number(records_[i].count);
    out.number(records_[i].first_count);
    out.number(records_[i].is_timely);
    out.number(records_[i].is_without_race);
  }
}

void ChannelReporter::write_graphs(StateWriter& out, bool is_last) {
  const std::uint64_t end = std::min(in_words<std::uint64_t>(words_, in_progress(offsetof(Progress, graphs))),
                                     channel::graphs_capacity / sizeof(GraphRecord));
  const GraphRecord* records = graphs_of(channel_);
  out.number(end - std::min(graphs_, end));
  for (; graphs_ < end; ++graphs_) {
    const GraphRecord& record = records[graphs_];
    out.value(record.hash);
    out.difference(last_execution_, record.execution);
    out.number(record.is_buggy);
    last_execution_ = record.execution;
  }
  const bool has_counts = is_last && scope_.counts_graphs;
  out.number(has_counts ? graphs_ : 0);
  for (std::uint64_t i = 0; has_counts && i < graphs_; ++i) out.number(records[i].count);
}

/// The program under test can overwrite the outbox, so every number in it is checked.
void ChannelReporter::write_outbox(StateWriter& out, bool is_last) {
  CorpusOutbox& outbox = outbox_of(channel_);
  const auto executions = std::min<std::uint64_t>(outbox.execution_count, strategies::most_in_corpus_round);
  const auto pairs = std::min<std::uint64_t>(outbox.pair_count, strategies::Corpus::most_known_pairs);
  const auto recordings = std::min<std::uint64_t>(outbox.recording_count, 2 * strategies::most_recordings);
  for (const std::uint64_t number : {executions, outbox.new_graphs, outbox.plans, outbox.planned_events})
    out.number(number);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < executions; ++i) {
    out.difference(last, outbox.executions[i].number);
    out.value(outbox.executions[i].graph);
    last = outbox.executions[i].number;
  }
  out.list(std::span<const CorpusOutbox::NewPair>(outbox.pairs, pairs));
  std::vector<std::size_t> sent;
  kept_.clear();
  std::uint64_t pair = 0;
  for (std::uint64_t i = 0; i < recordings; ++i) {
    // Both lists are in the order of the executions. An execution with a new pair is needed wherever it stands.
    while (pair < pairs && outbox.pairs[pair].number < outbox.recordings[i].number) ++pair;
    const bool has_pair = pair < pairs && outbox.pairs[pair].number == outbox.recordings[i].number;
    (is_last || has_pair || i < scope_.recordings ? sent : kept_).push_back(i);
  }
  write_recordings(out, sent);
}

void ChannelReporter::write_kept_recordings(StateWriter& out, std::uint64_t end) {
  const auto first_left = std::find_if(
      kept_.begin(), kept_.end(), [&](std::size_t slot) { return outbox_of(channel_).recordings[slot].number >= end; });
  const std::vector<std::size_t> sent(kept_.begin(), first_left);
  kept_.erase(kept_.begin(), first_left);
  write_recordings(out, sent);
}

void ChannelReporter::write_recordings(StateWriter& out, const std::vector<std::size_t>& slots) {
  CorpusOutbox& outbox = outbox_of(channel_);
  out.number(slots.size());
  for (const std::size_t i : slots) {
    CorpusOutbox::Slot& slot = outbox.recordings[i];
    out.number(slot.number);
    out.value(slot.graph);
    const std::size_t size = std::min(Recording(slot.recording).size(), Recording::capacity);
    out.list(std::span<const std::byte>(slot.recording, size));
  }
  out.value(kept_.empty() ? no_execution : outbox.recordings[kept_.front()].number);
}

// ---- rank 0 -----------------------------------------------------------------------------------------------------

bool ChannelMirror::apply(StateReader& in) {
  Channel& channel = *channel_;
  // A report that was sent before its rank got the task has nothing new: the worker was waiting.
  const auto task = static_cast<std::uint32_t>(in.number());
  if (task != task_) {
    findings_size_ = 0;
    records_.clear();
    task_ = task;
  }
  const std::uint32_t stop = channel.progress.stop.load();
  const std::uint64_t gifts = channel.task.gifts.load();
  channel.progress.stop.store(0);  // the rank of the worker counts from that
  in.changes(word_count, [&](std::size_t index) -> std::uint64_t& {
    constexpr std::size_t task_words = (task_end - task_begin) / word;
    return word_at(channel,
                   index < task_words ? task_begin + index * word : progress_begin + (index - task_words) * word);
  });
  channel.progress.stop.store(stop);
  if (channel.task.gifts.load() != gifts) {
    // As the worker does when it has given something.
    SubtreeTask::Command expected = SubtreeTask::Command::give;
    channel.task.command.compare_exchange_strong(expected, SubtreeTask::Command::none);
  }
  const std::string_view modules = in.text();
  check(modules.size() <= channel::modules_capacity);
  if (!modules.empty()) std::memcpy(channel.at(channel::modules_offset), modules.data(), modules.size());
  read_findings(in);
  read_graphs(in);
  const std::string_view gift = in.text();
  check(gift.size() <= channel::gift_capacity);
  if (!gift.empty()) std::memcpy(channel.at(channel::gift_offset), gift.data(), gift.size());
  const bool has_outbox = in.number() != 0;
  if (has_outbox) read_outbox(in);
  return has_outbox;
}

void ChannelMirror::read_findings(StateReader& in) {
  const std::string_view fresh = in.text();
  check(fresh.size() <= channel::findings_capacity - findings_size_);
  if (!fresh.empty()) std::memcpy(channel_->at(channel::findings_offset + findings_size_), fresh.data(), fresh.size());
  const std::uint64_t end = findings_size_ + fresh.size();
  for (std::uint64_t at = findings_size_; at + sizeof(FindingRecord) <= end;) {
    records_.push_back(at);
    const std::uint64_t size =
        size_in_log(*reinterpret_cast<const FindingRecord*>(channel_->at(channel::findings_offset + at)));
    if (size > end - at) break;
    at += size;
  }
  findings_size_ = end;
  for (std::uint64_t left = in.number(); left != 0; --left) {
    const std::uint64_t index = in.number();
    check(index < records_.size());
    auto& record = *reinterpret_cast<FindingRecord*>(channel_->at(channel::findings_offset + records_[index]));
    record.count.store(in.number());
    record.first_count.store(in.number());
    record.is_timely.store(in.number());
    record.is_without_race.store(in.number());
  }
}

void ChannelMirror::read_graphs(StateReader& in) {
  auto* records = reinterpret_cast<GraphRecord*>(channel_->at(channel::graphs_offset));
  const std::uint64_t fresh = in.number();
  check(fresh <= channel::graphs_capacity / sizeof(GraphRecord) - graphs_);
  for (const std::uint64_t end = graphs_ + fresh; graphs_ < end; ++graphs_) {
    GraphRecord& record = records[graphs_];
    in.value(record.hash);
    last_execution_ = record.execution = in.difference(last_execution_);
    record.is_buggy = in.number();
    record.count = 1;
  }
  const std::uint64_t counts = in.number();
  check(counts <= graphs_);
  for (std::uint64_t i = 0; i < counts; ++i) records[i].count = in.number();
}

void ChannelMirror::read_outbox(StateReader& in) {
  CorpusOutbox& outbox = outbox_of(*channel_);
  for (std::uint64_t* number : {&outbox.execution_count, &outbox.new_graphs, &outbox.plans, &outbox.planned_events})
    *number = in.number();
  check(outbox.execution_count <= strategies::most_in_corpus_round);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < outbox.execution_count; ++i) {
    last = outbox.executions[i].number = in.difference(last);
    in.value(outbox.executions[i].graph);
  }
  const auto pairs = in.list<CorpusOutbox::NewPair>();
  check(pairs.size() <= strategies::Corpus::most_known_pairs);
  std::copy(pairs.begin(), pairs.end(), outbox.pairs);
  outbox.pair_count = pairs.size();
  outbox.recording_count = 0;
  read_recordings(in);
}

void ChannelMirror::apply_kept_recordings(StateReader& in) { read_recordings(in); }

/// Adds to the recordings that are there.
void ChannelMirror::read_recordings(StateReader& in) {
  CorpusOutbox& outbox = outbox_of(*channel_);
  const std::uint64_t count = in.number();
  check(count <= 2 * strategies::most_recordings - outbox.recording_count);
  for (const std::uint64_t end = outbox.recording_count + count; outbox.recording_count < end;) {
    CorpusOutbox::Slot& slot = outbox.recordings[outbox.recording_count++];
    slot.number = in.number();
    in.value(slot.graph);
    const std::string_view recording = in.list_bytes(1);
    check(recording.size() <= Recording::capacity);
    if (!recording.empty()) std::memcpy(slot.recording, recording.data(), recording.size());
  }
  in.value(first_kept_);
}

}  // namespace heddle::cluster
