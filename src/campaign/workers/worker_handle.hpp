// The driver's view of one worker: its channel, and how its process ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "campaign/workers/channel_memory.hpp"
#include "run/specification.hpp"

namespace heddle::campaign {

using Clock = std::chrono::steady_clock;

/// Why a worker was killed.
enum class Killed : std::uint8_t {
  no,
  hang,         ///< it made no visible operation for --timeout and did not answer the signal
  memory,       ///< its process used too much memory
  output,       ///< it printed too much
  overwritten,  ///< the program has overwritten the channel
};

class WorkerHandle {
 public:
  explicit WorkerHandle(ChannelMemory channel) : channel_(std::move(channel)) {}
  /// Ends the process if it still runs.
  virtual ~WorkerHandle() = default;
  WorkerHandle(const WorkerHandle&) = delete;
  WorkerHandle& operator=(const WorkerHandle&) = delete;

  ChannelMemory& channel() { return channel_; }
  channel::Progress& progress() const { return channel_.progress(); }

  /// Does the worker wait for the driver?
  bool waits() const {
    return progress().awaits_round.load() != 0 || progress().waits_at_gate.load() != 0 ||
           progress().awaits_task.load() != 0;
  }
  /// Does the worker use a processor of this machine?
  virtual bool is_computing_here() const { return !waits(); }

  /// Asks the worker to end after its execution.
  void stop() const { channel_.stop(); }
  virtual void kill() = 0;
  /// Returns true once the process has ended; wait_status() is valid from then on.
  virtual bool reap() = 0;
  int wait_status() const { return wait_status_; }

  /// Kills the worker if it hangs, if it takes more than `run` allows, or if its channel is not plausible. To be called
  /// often. Returns why it was killed.
  virtual Killed watch(Clock::time_point now, const run::RunSpecification& run, bool is_plausible) = 0;
  /// What another process that watches the worker has found out.
  struct Watched {
    Killed killed = Killed::no;
    bool is_overwritten = false;
  };
  /// Null: only this process watches the worker.
  virtual const Watched* watched_elsewhere() const { return nullptr; }

  /// What the program printed in the execution in which the worker died.
  virtual std::string output() const = 0;
  /// Asks for recordings of executions below `end` that are not in the channel. Returns whether there may be any.
  virtual bool wants_recordings(std::uint64_t /*end*/) { return false; }

 protected:
  ChannelMemory channel_;
  int wait_status_ = 0;
};

}  // namespace heddle::campaign
