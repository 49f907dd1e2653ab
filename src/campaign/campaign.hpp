// The driver's main loop. Worker i of n runs the executions i, i + n, i + 2n, ...; since an execution depends on
// the seed and its number alone, the findings do not depend on n. Shards divide the numbers between them in the same
// way.
//
// The execution in which a worker dies becomes a finding, and a new worker continues with the next execution.
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
