// A command that MPI has started on several ranks. Rank 0 does what the command does. The other ranks host workers for
// it, and print nothing.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "cluster/ranks.hpp"
#include "cluster/transport/transport.hpp"

namespace heddle::cli {

class RankSession {
 public:
  explicit RankSession(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
  /// On rank 0, ends the other ranks.
  ~RankSession();
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;

  /// Starts MPI if a launcher of MPI has started this process. Returns the exit code if the work of this process is
  /// done: it is another rank than 0, or there is a problem.
  std::optional<int> open();
  /// On rank 0, before the campaign: tells the other ranks what is tested. Does nothing without MPI.
  Outcome begin(const campaign::Subject& subject);
  /// After begin(): where workers run. Null: on this machine alone.
  campaign::WorkerPlaces* places() { return places_; }

 private:
  void print_statistics() const;

  std::vector<std::string> arguments_;
  std::unique_ptr<transport::Transport> transport_;
  std::optional<cluster::Ranks> ranks_;
  campaign::WorkerPlaces* places_ = nullptr;
  double seconds_at_start_ = 0;  ///< CPU time of this process
};

/// Whether another rank does the work of a command that does not use ranks.
bool is_left_to_rank_0();

}  // namespace heddle::cli
