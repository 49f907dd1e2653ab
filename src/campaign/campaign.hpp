// Runs a campaign: the executions of one program that its settings describe, in worker processes. The findings do not
// depend on the number of workers. Shards and ranks divide the executions between them in the same way.
//
// A worker that makes no progress for --timeout is asked to give up its execution, and killed if it does not.
#pragma once

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::campaign {

/// Returns a problem if the program could not be tested at all. The results contain a failure that ended the campaign
/// later, beside the findings up to then.
Result<findings::Results> run_campaign(const Settings& settings);

}  // namespace heddle::campaign
