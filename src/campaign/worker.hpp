// One worker process: starting it, ending it, and checking that it makes progress.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/channel_memory.hpp"
#include "campaign/channel_report.hpp"
#include "campaign/process_activity.hpp"
#include "campaign/rounds.hpp"
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

  /// Sets site_orders. `sites` are those of the program; null: they are read.
  Outcome use_orders(std::string_view orders, const orders::ProgramSites* sites);
};

using Clock = std::chrono::steady_clock;

/// Why the driver killed a worker.
enum class Killed : std::uint8_t {
  no,
  hang,         ///< it made no visible operation for --timeout and did not answer the signal
  memory,       ///< its process used too much memory
  output,       ///< it printed too much
  overwritten,  ///< the program has overwritten the channel
};

/// What rank 0 knows of the process of a worker on another rank, beside the mirror of its channel.
struct RemoteProcess {
  bool has_ended = false;
  int wait_status = 0;
  Killed killed = Killed::no;  ///< by its own rank
  bool is_overwritten = false;
  std::string output;  ///< that of the execution in which it died
  /// The recordings of its executions from this number on may still be on its rank; no_execution: none is. See
  /// campaign/channel_report.hpp.
  std::uint64_t first_kept_recording = no_execution;
  std::uint64_t wanted_recordings = 0;  ///< rank 0 wants those of executions below this number
  bool is_killed = false;               ///< rank 0 wants its end
  bool is_released = false;             ///< rank 0 has forgotten it
};

class Worker {
 public:
  static Result<Worker> start(const Launch& launch, channel::Request request, std::string_view decisions,
                              const Rounds& rounds);
  /// A worker on another rank. `mirror` is that of its channel.
  Worker(ChannelMemory mirror, std::shared_ptr<RemoteProcess> process)
      : channel_(std::move(mirror)), output_fd_(-1), remote_(std::move(process)) {}
  /// Kills the process if it still runs.
  ~Worker();
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;

  /// Null: the worker is a process of this machine.
  const RemoteProcess* remote() const { return remote_.get(); }
  /// Asks the other rank for recordings of executions below `end` that it keeps. Returns whether there may be any.
  bool wants_recordings(std::uint64_t end) {
    if (remote_ == nullptr || remote_->first_kept_recording >= end) return false;
    remote_->wanted_recordings = end;
    return true;
  }
  ChannelMemory& channel() { return channel_; }
  channel::Progress& progress() const { return channel_.progress(); }

  /// Does the worker wait for the driver?
  bool waits() const {
    return progress().awaits_round.load() != 0 || progress().waits_at_gate.load() != 0 ||
           progress().awaits_task.load() != 0;
  }

  /// Returns true once the process has ended; wait_status() is valid from then on.
  bool reap();
  int wait_status() const { return wait_status_; }
  void stop() const { channel_.stop(); }
  void kill();

  enum class Pulse { beats, asked, killed };
  /// Compares the heartbeat with that of the last call. A worker without a heartbeat for `timeout` is asked to end its
  /// execution (SIGXCPU), and killed if it does not do so within two seconds. These are not seconds of a clock, but
  /// UsedTime. A timeout of 0 means no limit. The request is repeated every half second, because automatic isolation
  /// makes trial runs without a heartbeat, and each of them has to be ended.
  Pulse watch(Clock::time_point now, std::chrono::milliseconds timeout);

  /// The larger of the memory of the process and that of its child.
  std::uint64_t memory_in_use() const;
  /// Bytes that the program has printed in the current execution.
  std::uint64_t output_size() const;
  /// What the program printed in the execution in which the worker died.
  std::string output() const;

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

  Worker(ChannelMemory channel, int output_fd) : channel_(std::move(channel)), output_fd_(output_fd) {}

  ChannelMemory channel_;
  int output_fd_;
  std::shared_ptr<RemoteProcess> remote_;
  pid_t pid_ = -1;  ///< -1: the process has ended
  int wait_status_ = 0;
  Heartbeat heartbeat_;
  UsedTime silence_;  ///< since the heartbeat changed
  Clock::time_point next_look_{};
  int times_asked_ = 0;
};

}  // namespace heddle::campaign
