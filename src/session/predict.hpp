// The two phases of heddle predict: executions under sc, from which cycles are predicted, and trials that direct
// executions to each cycle under each model.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "prediction/results.hpp"
#include "session/observer.hpp"

namespace heddle::session {

struct Predict {
  campaign::Subject subject;
  std::vector<std::string> models;  ///< under which cycles are tried
  Observer& observer;
};

/// Writes a trace for each confirmed cycle and model.
Result<prediction::Results> run(const Predict& task);

}  // namespace heddle::session
