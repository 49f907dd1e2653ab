// What a worker has written to its channel, as bytes for another rank. Rank 0 has a mirror of the channel of each
// worker: a channel without a process, which it reads as it reads the channels of its own workers. The rank of the
// worker reports what has changed since its last report.
//
// A report is a consistent state, as the driver needs it: the flags by which a worker says that it waits are read
// before everything else. What the driver reads only while the worker waits, or after its end, is part of a report that
// says so: the totals of a round, the outbox of the corpus, the counts of findings.
//
// Of the executions that all workers recorded in a round, the driver needs the first ones only
// (strategies::most_recordings). So a report has the first recordings of its worker, somewhat more than its share of
// them. The rank keeps the others, which rank 0 asks for in the rare case that it needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "campaign/state/state_bytes.hpp"
#include "campaign/workers/channel_memory.hpp"

namespace heddle::cluster {

using campaign::BadValue;
using campaign::ChannelMemory;
using campaign::Counters;
using campaign::StateReader;
using campaign::StateWriter;

/// What the reports of a worker contain.
struct ReportScope {
  std::uint64_t recordings = 0;  ///< the most recordings of a round that are sent unasked; 0: there is no corpus
  bool counts_graphs = false;    ///< at the end, how often each graph was seen
};
/// ReportScope::recordings of each of so many workers: the driver seldom needs more of one of them.
std::uint64_t usual_recordings(std::size_t workers);
using campaign::no_execution;

class ChannelReporter {
 public:
  /// Of a channel that was just created.
  ChannelReporter(ChannelMemory& channel, ReportScope scope);

  /// Whether the driver should know at once what has happened since the last report.
  bool is_urgent() const;
  /// Whether anything has changed.
  bool is_due() const;
  /// Writes a report. With `is_last`, the worker has ended. If the program has overwritten the channel, the report has
  /// only `plausible`, the last counters that were not.
  void write(StateWriter& out, bool is_last, const Counters* plausible = nullptr);
  /// Writes the recordings of executions below `end` that the last report has left out. The worker waits for a round.
  void write_kept_recordings(StateWriter& out, std::uint64_t end);
  /// The driver gives the worker a task, after the report on the last one. Call it after ChannelMemory::begin_task().
  void task_begun();

 private:
  /// By these, a worker tells that it waits or has ended something.
  struct Flags {
    channel::State state{};
    channel::Failure failure{};
    std::uint32_t awaits_round = 0;
    std::uint32_t awaits_task = 0;
    std::uint32_t task_ended = 0;
    std::uint64_t waits_at_gate = 0;
    std::uint64_t gifts = 0;
    bool has_end = false;  ///< an execution ran to its end
    bool operator==(const Flags&) const = default;
    bool waits() const { return awaits_round != 0 || awaits_task != 0 || waits_at_gate != 0; }
  };
  Flags read_flags() const;
  void read_words(std::vector<std::uint64_t>& words, bool with_totals) const;
  void write_findings(StateWriter& out, bool is_settled);
  void write_graphs(StateWriter& out, bool is_last);
  void write_outbox(StateWriter& out, bool is_last);
  void write_recordings(StateWriter& out, const std::vector<std::size_t>& slots);

  struct Record {
    std::uint64_t offset;
    std::uint64_t count;
    std::uint64_t first_count;
    std::uint64_t is_timely;
    std::uint64_t is_without_race;
  };

  channel::Channel& channel_;
  ReportScope scope_;
  Flags flags_;                       ///< at the last report
  std::vector<std::uint64_t> words_;  ///< as rank 0 knows them
  std::uint64_t findings_size_ = 0;
  std::vector<Record> records_;
  std::uint64_t modules_size_ = 0;
  std::uint64_t graphs_ = 0;
  std::uint64_t last_execution_ = 0;  ///< of the last graph
  std::vector<std::size_t> kept_;     ///< recordings that rank 0 does not have: indices of CorpusOutbox::recordings
};

/// Applies reports to a mirror.
class ChannelMirror {
 public:
  explicit ChannelMirror(channel::Channel& channel) : channel_(&channel) {}
  /// Throws BadValue if the bytes are not what ChannelReporter writes. Returns whether the report has an outbox.
  bool apply(StateReader& in);
  void apply_kept_recordings(StateReader& in);
  /// The first execution whose recording the rank of the worker keeps, or no_execution.
  std::uint64_t first_kept_recording() const { return first_kept_; }

 private:
  void read_findings(StateReader& in);
  void read_graphs(StateReader& in);
  void read_outbox(StateReader& in);
  void read_recordings(StateReader& in);

  channel::Channel* channel_;
  std::uint64_t first_kept_ = no_execution;
  std::uint64_t findings_size_ = 0;
  std::uint32_t task_ = 0;              ///< the number of the task that the findings are of
  std::vector<std::uint64_t> records_;  ///< offsets
  std::uint64_t graphs_ = 0;
  std::uint64_t last_execution_ = 0;
};

}  // namespace heddle::cluster
