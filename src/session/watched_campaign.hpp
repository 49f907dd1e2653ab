#pragma once

#include <chrono>

#include "base/result.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "session/observer.hpp"

namespace heddle::session {

/// A campaign for a user: with all executions that --runs, --shard and --time allow.
struct WatchedCampaign {
  campaign::Subject subject;
  campaign::Shard shard;
  campaign::WorkerPlaces* places;  ///< where workers run; null: on this machine
  Observer& observer;
  campaign::OutputFolder& folder;                  ///< for the traces of findings
  std::chrono::milliseconds explaining_time = {};  ///< the part of --time that is kept for explaining findings, if any
  campaign::Continuation continuation = {};
};

/// Runs the campaign, and tells the observer about it. Each finding has a trace in the folder before the observer
/// learns of it.
Result<findings::Results> run(const WatchedCampaign& watched);

}  // namespace heddle::session
