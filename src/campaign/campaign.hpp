// The driver's main loop. Worker i of n runs the executions i, i + n, i + 2n, ...; since an execution depends on
// the seed and its number alone, the findings do not depend on n.
//
// A worker that dies costs the execution it was in, which becomes a finding, and a new worker goes on behind it.
// A worker that shows no sign of life for --timeout is asked to give up its execution, then killed.
#pragma once

#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "trace/result.hpp"

namespace heddle::campaign {

/// A problem: the program could not be tested at all. A failure on the way is in the results, beside what was
/// found until then.
Result<findings::Results> run_campaign(const Settings& settings);

}  // namespace heddle::campaign
