// The two phases of heddle predict: executions under sc, from which cycles are predicted, and trials that direct
// executions to each cycle under each model.
#pragma once

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "prediction/results.hpp"

namespace heddle::cli {

/// `settings` describe the program and the run. Writes a trace for each confirmed cycle and model.
Result<prediction::Results> run_prediction(const campaign::Settings& settings);

}  // namespace heddle::cli
