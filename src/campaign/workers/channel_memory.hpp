// The driver's end of a channel: the memory file and its mapping. Reads trust no size in it, since the program under
// test can overwrite it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "channel/channel.hpp"
#include "channel/finding_log.hpp"
#include "channel/site_order.hpp"
#include "findings/finding.hpp"
#include "strategies/corpus.hpp"
#include "strategies/cycle_table.hpp"
#include "strategies/learner.hpp"

namespace heddle::campaign {

/// As the number of an execution: there is none.
inline constexpr std::uint64_t no_execution = ~std::uint64_t{0};

/// The counters of a worker at one moment.
struct Counters {
  std::uint64_t executions = 0;
  std::uint64_t buggy = 0;
  std::uint64_t blocked = 0;
  std::uint64_t cut_off = 0;
  std::uint64_t events = 0;
  std::uint64_t escapes = 0;

  Counters& operator+=(const Counters& other) {
    executions += other.executions;
    buggy += other.buggy;
    blocked += other.blocked;
    cut_off += other.cut_off;
    events += other.events;
    escapes += other.escapes;
    return *this;
  }
  bool is_at_least(const Counters& other) const {
    return executions >= other.executions && buggy >= other.buggy && blocked >= other.blocked &&
           cut_off >= other.cut_off && events >= other.events && escapes >= other.escapes;
  }
};

/// How much of the corpus a copy has.
struct CorpusCopied {
  std::uint64_t round = 0;
  std::uint64_t graphs = 0;
  std::uint64_t pairs = 0;
  bool operator==(const CorpusCopied&) const = default;
};

class ChannelMemory {
 public:
  static Result<ChannelMemory> create(const channel::Request& request, std::string_view decisions);
  /// The channel that the process of a heddle::check made and this process inherited.
  static Result<ChannelMemory> attach(int fd);
  ~ChannelMemory();
  ChannelMemory(ChannelMemory&& other) noexcept;
  ChannelMemory& operator=(ChannelMemory&&) = delete;

  /// A copy of the channel of a worker that is no process of this machine. It has no file.
  void become_mirror() {
    close_fd();
    is_mirror_ = true;
  }
  bool is_mirror() const { return is_mirror_; }

  /// The child inherits it; the parent closes it afterwards.
  int fd() const { return fd_; }
  void close_fd();

  /// All of it, for cluster/channel_report.hpp.
  channel::Channel& whole() const { return *channel_; }
  channel::Progress& progress() const { return channel_->progress; }
  const channel::Request& request() const { return channel_->request; }
  Counters counters() const;
  /// False if the channel holds what no worker writes: the program has overwritten it. Counters must not be less than
  /// at the last call.
  bool is_plausible();
  void lower_end(std::uint64_t end) const;
  void set_gate(std::uint64_t execution) const;
  /// Asks the worker to end after this execution.
  void stop() const;
  struct Executions {
    std::uint64_t begin, end;
  };
  /// `plan` is null if the strategy does not learn.
  void announce_round(std::uint32_t number, Executions executions, const strategies::PortfolioPlan* plan) const;

  /// Before the worker starts. There are request.site_orders of them.
  void set_site_orders(std::span<const channel::SiteOrder> orders) const;
  /// The same entries, with what the worker has counted.
  std::vector<channel::SiteOrder> site_orders() const;

  /// Exhaustive search: gives the worker, which waits for it, a task. All findings in the channel were read. With
  /// `gives`, the worker gives at least so many branches away as soon as it can.
  void begin_task(std::string_view bytes, std::span<const channel::GiftRecord> gifts, std::uint64_t most_runs,
                  std::uint64_t gives = 0);
  channel::SubtreeTask& task() const { return channel_->task; }
  /// The bytes of the newest gift.
  std::string gift() const;

  strategies::PortfolioPlan plan() const;
  /// To be called while the worker waits for a round, or after its end.
  strategies::Totals totals() const;

  /// The findings that the worker completed since the last call, with their counts so far.
  std::vector<findings::Finding> new_findings();
  /// The count so far of the finding that new_findings() returned as number `index`, over all calls.
  std::uint64_t first_count_of(std::size_t index) const {
    return records_[index]->first_count.load(std::memory_order_acquire);
  }
  bool is_timely(std::size_t index) const { return records_[index]->is_timely.load(std::memory_order_acquire) != 0; }
  bool is_without_race(std::size_t index) const {
    return records_[index]->is_without_race.load(std::memory_order_acquire) != 0;
  }
  std::uint64_t count_of(std::size_t index) const { return records_[index]->count.load(std::memory_order_acquire); }

  /// Why the worker could not continue.
  std::string failure_text() const;
  /// The files that the worker has loaded, for findings::ModuleMap. The worker writes them before its first finding.
  channel::Words modules() const;
  /// What the worker has written about executions, as Request::recording asks.
  std::span<const std::byte> recordings() const;
  /// heddle predict.
  strategies::CycleTable& cycles() const;
  /// For CampaignCorpus: the worker's corpus, how much of it was copied, and what the worker reports.
  strategies::Corpus& corpus() const;
  strategies::CorpusOutbox& outbox() const;
  CorpusCopied& corpus_copied() { return corpus_copied_; }
  /// Adds how often each graph that was taken has been seen so far.
  void count_graphs(std::unordered_map<std::uint64_t, std::uint64_t>& counts) const;
  /// Appends the graphs that the worker added since the last call.
  void take_graphs(std::vector<channel::GraphRecord>& out);

 private:
  ChannelMemory(int fd, channel::Channel* channel) : fd_(fd), channel_(channel) {}
  /// Wakes a worker that waits for a round or a task.
  void wake() const;

  int fd_;
  bool is_mirror_ = false;
  channel::Channel* channel_;
  std::unique_ptr<channel::Request> original_;  ///< the request as it was written; null for an attached channel
  Counters seen_;                               ///< at the last call of is_plausible()
  channel::State state_seen_ = channel::State::spawned;
  channel::FindingLogReader log_;
  std::uint64_t graphs_taken_ = 0;
  CorpusCopied corpus_copied_;
  std::vector<const channel::FindingRecord*> records_;
};

}  // namespace heddle::campaign
