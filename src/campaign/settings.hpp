// All that a campaign is told.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "campaign/program_file.hpp"
#include "channel/channel.hpp"

namespace heddle::campaign {

/// Not one of strategies::make_strategy's: the worker makes it, from its graph. It may have parameters.
inline constexpr const char* exhaustive_strategy = "exhaustive";

inline constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

/// What is known while the campaign goes on.
struct LiveProgress {
  std::uint64_t executions = 0;
  std::uint64_t buggy = 0;
  std::uint64_t bugs = 0;
  double seconds = 0;
  std::uint64_t graphs = 0;  ///< of the workers that run; what two of them have seen counts twice
  double seconds_left = 0;   ///< until the executions or the time are over; 0: nobody knows
  double explored = 0;       ///< exhaustive search: the part that is done, guessed; 0: something else
};

struct Settings {
  ProgramFile program;
  std::string program_name;  ///< as the user wrote it; argv[0]
  std::vector<std::string> args;
  std::string stdin_path;  ///< absolute; empty: none

  std::string strategy = "auto";
  std::string model = "rc11";
  bool release_sequence_c11 = false;
  channel::Isolation isolation = channel::Isolation::automatic;
  std::uint64_t seed = 1;
  std::uint64_t first_execution = 0;
  std::uint64_t end_execution = 1000;
  std::optional<std::chrono::milliseconds> time;
  unsigned jobs = 1;
  bool stop_on_bug = false;
  bool show_output = false;
  bool leaks = false;
  bool random_addresses = false;  ///< --aslr
  std::uint64_t max_events = 1'000'000;
  std::uint64_t max_memory = 4ULL << 30;
  std::chrono::milliseconds timeout{10'000};  ///< without a visible operation; 0: none

  channel::Mode mode = channel::Mode::test;
  std::string decisions;    ///< replay
  std::uint32_t check = 0;  ///< replay: of the heddle::check with this number

  /// Called now and then; may be empty.
  std::function<void(const LiveProgress&)> on_progress;
};

const char* isolation_name(channel::Isolation isolation);
std::optional<channel::Isolation> isolation_from_name(std::string_view name);

/// The request for the executions first, first + stride, ... of these settings.
channel::Request make_request(const Settings& settings, std::uint64_t first, std::uint64_t stride);

}  // namespace heddle::campaign
