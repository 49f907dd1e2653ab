#pragma once

#include "base/result.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "session/observer.hpp"

namespace heddle::session {

/// Runs one campaign, and tells the observer about it. Each finding has a trace in the folder before the observer
/// learns of it.
Result<findings::Results> run_watched(campaign::Settings settings, Observer& observer, campaign::OutputFolder& folder);

}  // namespace heddle::session
