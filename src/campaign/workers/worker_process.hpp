// A worker that is a child process of the driver: starting it, ending it, and checking that it makes progress.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/workers/process_activity.hpp"
#include "campaign/workers/worker_handle.hpp"
#include "channel/site_order.hpp"
#include "orders/program_sites.hpp"

namespace heddle::campaign {

/// How to start the program: the same for all workers of a campaign.
struct Launch {
  std::string path;
  std::vector<std::string> argv;                             ///< with the program's name
  std::string stdin_path;                                    ///< empty: /dev/null
  bool random_addresses = false;                             ///< --aslr: leave the system's address randomisation on
  std::function<void(ChannelMemory&)> prepare_channel = {};  ///< called before the program starts; may be empty
  std::vector<channel::SiteOrder> site_orders = {};          ///< what --orders means in this program

  /// Sets site_orders. `sites` are those of the program; null: they are read. With `counts_all`, all operations of the
  /// program are counted.
  Outcome use_orders(std::string_view orders, const orders::ProgramSites* sites, bool counts_all = false);
};

/// A program that prints more than this in one execution is killed.
inline constexpr std::uint64_t most_output = std::uint64_t{1} << 30;

class WorkerProcess final : public WorkerHandle {
 public:
  /// `begin_round` tells the worker its first round.
  static Result<std::unique_ptr<WorkerHandle>> start(const Launch& launch, channel::Request request,
                                                     std::string_view decisions,
                                                     const std::function<void(ChannelMemory&)>& begin_round);
  ~WorkerProcess() override;

  bool reap() override;
  void kill() override;
  Killed watch(Clock::time_point now, const run::RunSpecification& run, bool is_plausible) override;
  std::string output() const override;

 private:
  struct Heartbeat {
    channel::State state = channel::State::spawned;
    std::uint64_t execution = 0;
    std::uint64_t events = 0;
    std::uint64_t memory = 0;
    std::uint64_t executions = 0;
    std::uint32_t awaits_round = 0;
    bool operator==(const Heartbeat&) const = default;
  };

  WorkerProcess(ChannelMemory channel, int output_fd) : WorkerHandle(std::move(channel)), output_fd_(output_fd) {}

  /// Compares the heartbeat with that of the last call. A worker without a heartbeat for `timeout` is asked to end its
  /// execution (SIGXCPU). Returns true if it does not do so within two seconds. These are not seconds of a clock, but
  /// UsedTime. A timeout of 0 means no limit. The request is repeated every half second, because automatic isolation
  /// makes trial runs without a heartbeat, and each of them has to be ended.
  bool hangs(Clock::time_point now, std::chrono::milliseconds timeout);
  /// Bytes that the program has printed in the current execution.
  std::uint64_t output_size() const;

  int output_fd_;
  pid_t pid_ = -1;  ///< -1: the process has ended
  Heartbeat heartbeat_;
  UsedTime silence_;  ///< since the heartbeat changed
  Clock::time_point next_look_{};
  Clock::time_point next_look_at_memory_{};
  int times_asked_ = 0;
};

}  // namespace heddle::campaign
