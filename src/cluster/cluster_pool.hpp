// The workers of one campaign on all ranks. Rank 0 starts its own workers itself. For those of other ranks, records are
// collected, and sent as one message a rank.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "campaign/worker_pool.hpp"
#include "cluster/channel_report.hpp"
#include "cluster/event_wait.hpp"
#include "cluster/ranks.hpp"

namespace heddle::cluster {

using campaign::ChannelMemory;
using campaign::Clock;
using campaign::LearningRounds;
using campaign::WorkerHandle;

/// What rank 0 knows of the process of a worker on another rank, beside the mirror of its channel.
struct RemoteProcess {
  bool has_ended = false;
  int wait_status = 0;
  WorkerHandle::Watched watched;  ///< by its own rank
  std::string output;             ///< that of the execution in which it died
  /// The recordings of its executions from this number on may still be on its rank; no_execution: none is. See
  /// cluster/channel_report.hpp.
  std::uint64_t first_kept_recording = campaign::no_execution;
  std::uint64_t wanted_recordings = 0;  ///< rank 0 wants those of executions below this number
  bool is_killed = false;               ///< rank 0 wants its end
  bool is_released = false;             ///< rank 0 has forgotten it
};

class ClusterPool final : public campaign::WorkerPool {
 public:
  /// `workers`: how many the campaign has on all ranks. `jobs`: how many of them are on one rank.
  ClusterPool(Ranks& ranks, std::size_t workers, std::size_t jobs)
      : ranks_(ranks), workers_(workers), jobs_(jobs), campaign_(ranks.next_campaign()), out_(ranks.count()) {}
  /// Ends the processes of the other ranks.
  ~ClusterPool() override;
  ClusterPool(const ClusterPool&) = delete;
  ClusterPool& operator=(const ClusterPool&) = delete;

  Result<std::unique_ptr<WorkerHandle>> start(std::size_t slot, const campaign::Launch& launch,
                                              const channel::Request& request, std::string_view decisions,
                                              const LearningRounds& rounds) override;
  bool wait(std::chrono::microseconds longest, campaign::WorkHere work) override { return events_.wait(longest, work); }
  Outcome poll() override;
  void send(const LearningRounds& rounds) override;
  bool keeps_recordings() const override { return true; }

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

  transport::Transport& transport() { return ranks_.transport(); }
  Result<std::unique_ptr<WorkerHandle>> start_remote(std::size_t rank, const channel::Request& request,
                                                     const LearningRounds& rounds);
  StateWriter& record(std::size_t rank, RankRecord kind, std::uint32_t worker);
  void announce(const LearningRounds& rounds);
  void send_control(std::uint32_t number, Live& live);
  void send_task(std::uint32_t number, Live& live);
  void ask_for_recordings(std::uint32_t number, Live& live);
  void flush();
  Outcome apply(const transport::Message& message);

  Ranks& ranks_;
  std::size_t workers_;
  std::size_t jobs_;
  std::uint32_t campaign_;
  std::vector<StateWriter> out_;  ///< by rank
  std::map<std::uint32_t, Live> live_;
  std::uint32_t round_ = 0;  ///< the number of the last one that was announced
  strategies::PortfolioPlan plan_{};
  campaign::CorpusCopied corpus_sent_;
  EventWait events_{&ranks_.transport()};
};

}  // namespace heddle::cluster
