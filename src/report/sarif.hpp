// The report in SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS, which code hosts and editors
// read.
#pragma once

#include <string>

#include "findings/results.hpp"

namespace heddle::report {

/// `folder` is the working folder: files below it are named relative to it.
std::string sarif_report(const findings::RunDescription& run, const findings::Results& results,
                         const std::string& version, const std::string& folder);

}  // namespace heddle::report
