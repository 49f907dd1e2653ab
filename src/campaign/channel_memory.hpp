// The driver's end of a channel: the memory file and its mapping, with reads that trust no size in it, since the
// program under test can write there if it goes astray.
#pragma once

#include <string_view>
#include <vector>

#include "channel/channel.hpp"
#include "findings/finding.hpp"
#include "strategies/learner.hpp"
#include "trace/result.hpp"

namespace heddle::campaign {

class ChannelMemory {
 public:
  static Result<ChannelMemory> create(const channel::Request& request, std::string_view decisions);
  /// The channel that somebody else made and this process inherited: after a heddle::check.
  static Result<ChannelMemory> attach(int fd);
  ~ChannelMemory();
  ChannelMemory(ChannelMemory&& other) noexcept;
  ChannelMemory& operator=(ChannelMemory&&) = delete;

  /// For the child to inherit; close it once the child has it.
  int fd() const { return fd_; }
  void close_fd();

  channel::Progress& progress() const { return channel_->progress; }
  const channel::Request& request() const { return channel_->request; }
  void lower_end(std::uint64_t end) const;
  /// Asks the worker to end after this execution.
  void stop() const;
  /// `plan` may be null: the strategy does not learn.
  void announce_round(std::uint32_t number, std::uint64_t end, const strategies::PortfolioPlan* plan) const;

  strategies::PortfolioPlan plan() const;
  /// For when the worker waits, or is over.
  strategies::Totals totals() const;

  /// Findings that were announced since the last call. Their counts are those of now.
  std::vector<findings::Finding> new_findings();
  /// How often the finding that new_findings delivered as number `index` (over all calls) was met until now.
  std::uint64_t count_of(std::size_t index) const { return records_[index]->count.load(std::memory_order_acquire); }

  std::string_view modules() const;
  /// Appends the graphs that came since the last call.
  void take_graphs(std::vector<channel::GraphRecord>& out);

 private:
  ChannelMemory(int fd, channel::Channel* channel) : fd_(fd), channel_(channel) {}
  void wake() const;
  const channel::FindingRecord* record_at(std::uint64_t offset, std::uint64_t end) const;

  int fd_;
  channel::Channel* channel_;
  std::uint64_t findings_read_ = 0;
  std::uint64_t graphs_taken_ = 0;
  std::vector<const channel::FindingRecord*> records_;
};

}  // namespace heddle::campaign
