// The task of a campaign: which program to run, how, and which of its executions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/state/shard.hpp"
#include "campaign/workers/program_file.hpp"
#include "channel/channel.hpp"
#include "findings/finding.hpp"
#include "findings/suppressions.hpp"
#include "orders/program_sites.hpp"
#include "run/specification.hpp"

namespace heddle::campaign {

class ChannelMemory;
class WorkerPlaces;
struct CampaignState;

inline constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

/// The state of a running campaign.
struct LiveProgress {
  std::uint64_t executions = 0;
  std::uint64_t buggy = 0;
  std::uint64_t bugs = 0;
  double seconds = 0;
  std::uint64_t graphs = 0;  ///< sum over the running workers; a graph that two of them have seen counts twice
  double seconds_left = 0;   ///< until the limit on executions or time is reached; 0: unknown
  double explored = 0;       ///< exhaustive search: estimate of the explored part; 0 for other strategies
  std::vector<double> place_rates = {};  ///< executions a second of each place; empty: there is one
  std::string phase = {};                ///< what the first worker does before its first execution; empty: it executes
};

/// What is run: the program, and how. All tasks on a program have this in common.
struct Subject {
  run::RunSpecification run;
  ProgramFile program;
  std::string program_name;  ///< as the user wrote it; argv[0]
  std::vector<std::string> args;
  findings::Suppressions suppressions;
  std::string suppressions_text;  ///< as the user wrote them
  /// The atomic operations of the program, for run.orders. Null: a campaign with orders reads them itself.
  std::shared_ptr<const orders::ProgramSites> sites;
  std::uint32_t check = 0;  ///< the number of the heddle::check, from 1; 0: main is the test
};

/// What a campaign continues from, and what it keeps for processes after it.
struct Continuation {
  /// The state to continue from; null: the campaign begins.
  const CampaignState* resumed = nullptr;
  /// The strategy is not the user's, but the search that the program turned out to need.
  bool has_begun_again = false;
  /// Called with a state to continue from, every run.checkpoint, when the user asks to stop, and at the end. If it is
  /// empty, no state is kept.
  std::function<void(const Subject&, CampaignState)> on_checkpoint;
  /// Called when the campaign has ended, with what can be merged with other shards. May be empty.
  std::function<void(CampaignState)> on_state;
};

/// One campaign on a subject.
struct Settings : Subject, Continuation {
  Settings() = default;
  explicit Settings(Subject subject, Continuation continuation = {})
      : Subject(std::move(subject)), Continuation(std::move(continuation)) {}

  std::uint64_t first_execution = 0;
  std::uint64_t end_execution = no_end;  ///< the executions from first_execution up to this number are run
  Shard shard;                           ///< of these executions

  /// The part of run.time that is kept for explaining the findings, if there are any.
  std::chrono::milliseconds explaining_time{0};
  /// The campaign ends then, with a problem, whatever its executions do. Nothing: run.time says when it ends.
  std::optional<std::chrono::steady_clock::time_point> ends_at;

  channel::Mode mode = channel::Mode::test;
  std::string decisions;  ///< replay, minimize
  /// minimize: the finding to keep, and how much may be tried for it.
  struct Minimization {
    std::uint64_t finding_key = 0;
    std::uint64_t most_tries = 0;
    std::uint64_t most_events = 0;
  };
  Minimization minimization;

  channel::Recording recording = channel::Recording::nothing;
  bool counts_sites = false;     ///< the worker counts the atomic operations: ChannelMemory::site_orders
  std::uint64_t debug_step = 0;  ///< replay under a debugger: see channel::Request
  bool has_cycles = false;       ///< heddle predict: see channel::Request
  /// Called before a worker starts, and after it has ended. Both may be empty.
  std::function<void(ChannelMemory&)> prepare_channel;
  std::function<void(const ChannelMemory&)> read_channel;

  /// Where workers run; null: on this machine.
  WorkerPlaces* places = nullptr;

  /// Called at every step of the campaign; may be empty.
  std::function<void(const LiveProgress&)> on_progress;
  /// Called as soon as a finding is known, and again if an earlier execution shows the same finding later. The finding
  /// has no symbols. `isolation` is that of its execution. May be empty.
  std::function<void(const findings::Finding&, run::Isolation isolation)> on_finding;
};

/// The request for the executions first, first + stride, ... of these settings.
channel::Request make_request(const Settings& settings, std::uint64_t first, std::uint64_t stride);

}  // namespace heddle::campaign
