// One worker process: its start, its end, and the watch over it in between.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/channel_memory.hpp"
#include "campaign/rounds.hpp"

namespace heddle::campaign {

/// What to start, the same for all workers of a campaign.
struct Launch {
  std::string path;
  std::vector<std::string> argv;  ///< with the program's name
  std::string stdin_path;         ///< empty: /dev/null
  bool random_addresses = false;  ///< --aslr: leave the system's address randomisation on
};

using Clock = std::chrono::steady_clock;

class Worker {
 public:
  static Result<Worker> start(const Launch& launch, channel::Request request, std::string_view decisions,
                              const Rounds& rounds);
  /// Ends the process if it still runs.
  ~Worker();
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;

  ChannelMemory& channel() { return channel_; }
  channel::Progress& progress() const { return channel_.progress(); }

  /// True once the process is over; `wait_status` is valid then.
  bool reap();
  int wait_status() const { return wait_status_; }
  void stop() const { channel_.stop(); }
  void kill();

  enum class Pulse { beats, asked, killed };
  /// Compares the heartbeat with that of the last call. A worker that shows none for `timeout` is asked to give
  /// up its execution (SIGXCPU), and killed if it does not within two more seconds. 0: wait for ever. It is asked
  /// every half second, since the trial runs of automatic isolation each have to be ended, and do not beat.
  Pulse watch(Clock::time_point now, std::chrono::milliseconds timeout);

  /// What the program printed in the execution that it did not survive.
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
  pid_t pid_ = -1;  ///< -1: over
  int wait_status_ = 0;
  Heartbeat heartbeat_;
  Clock::time_point last_beat_ = Clock::now();
  int times_asked_ = 0;
};

/// "killed by signal 11 (Segmentation fault)", "ended with exit status 3".
std::string describe_end(int wait_status);

}  // namespace heddle::campaign
