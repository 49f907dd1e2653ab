// heddle test and heddle verify: a campaign with everything that the user can ask for. It may be a shard, and it may
// keep a state from which the next process continues (--resume).
#pragma once

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "run/fields.hpp"
#include "session/time_limit.hpp"
#include "session/watched_campaign.hpp"

namespace heddle::session {

struct Test {
  run::Use command = run::test;  ///< or run::verify
  WatchedCampaign campaign;
};

struct Tested {
  campaign::Subject subject;  ///< with the strategy that was used in the end
  findings::Results results;
  Deadline deadline;  ///< of the explanations
  Outcome unsaved;    ///< why the result of the shard could not be written
};

Result<Tested> run(const Test& test);

/// Finds the program, reads the suppressions, and checks that traces can be written.
Outcome prepare(campaign::Subject& subject);

}  // namespace heddle::session
