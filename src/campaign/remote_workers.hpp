// Rank 0's side of the workers on other ranks, in one campaign. Records are collected, and sent as one message a rank.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "campaign/channel_report.hpp"
#include "campaign/ranks.hpp"
#include "campaign/rounds.hpp"
#include "campaign/worker.hpp"

namespace heddle::campaign {

class RemoteWorkers {
 public:
  /// `workers`: how many the campaign has on all ranks.
  RemoteWorkers(Ranks& ranks, std::size_t workers)
      : ranks_(ranks), workers_(workers), campaign_(ranks.next_campaign()), out_(ranks.size()) {}
  /// All workers have been destroyed. Ends their processes.
  ~RemoteWorkers();
  RemoteWorkers(const RemoteWorkers&) = delete;
  RemoteWorkers& operator=(const RemoteWorkers&) = delete;

  transport::Transport& transport() { return ranks_.transport(); }
  Result<Worker> start(std::size_t rank, const channel::Request& request, const Rounds& rounds);
  /// Brings the mirrors up to date. Returns a problem that another rank has.
  Outcome receive();
  /// Tells the ranks what the campaign has written to mirrors and workers since the last call.
  void send(const Rounds& rounds);

 private:
  /// A worker, with what its rank knows of the members that the driver writes.
  struct Live {
    std::size_t rank;
    channel::Channel* mirror;
    std::shared_ptr<RemoteProcess> process;
    ChannelMirror reader;
    std::uint64_t end_execution = 0;
    std::uint64_t gate = 0;
    std::uint32_t stop = 0;
    std::uint32_t task = 0;
    channel::SubtreeTask::Command command = channel::SubtreeTask::Command::none;
    std::uint64_t most_runs = 0;
    std::uint64_t asked_recordings = 0;
    bool is_killed = false;
  };

  StateWriter& record(std::size_t rank, RankRecord kind, std::uint32_t worker);
  void announce(const Rounds& rounds);
  void send_control(std::uint32_t number, Live& live);
  void send_task(std::uint32_t number, Live& live);
  void ask_for_recordings(std::uint32_t number, Live& live);
  void flush();
  Outcome apply(const transport::Message& message);

  Ranks& ranks_;
  std::size_t workers_;
  std::uint32_t campaign_;
  std::vector<StateWriter> out_;  ///< by rank
  std::map<std::uint32_t, Live> live_;
  std::uint32_t round_ = 0;  ///< the number of the last one that was announced
  strategies::PortfolioPlan plan_{};
  CorpusCopied corpus_sent_;
};

}  // namespace heddle::campaign
