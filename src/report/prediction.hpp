// The reports of heddle predict: for people, and as JSON.
#pragma once

#include <string>

#include "findings/results.hpp"
#include "prediction/results.hpp"

namespace heddle::report {

/// The cycles that were confirmed, the table of the models, and one line of figures. If `quiet`, only that line.
std::string prediction_text(const prediction::Results& results, bool quiet);

std::string prediction_json(const findings::RunDescription& run, const prediction::Results& results,
                            const std::string& version);

}  // namespace heddle::report
