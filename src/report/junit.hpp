// The report as XML in the format of JUnit, which servers for continuous integration read.
#pragma once

#include <chrono>
#include <string>

#include "findings/results.hpp"

namespace heddle::report {

/// One test suite for the campaign. Each bug is a test case that failed. Without a bug, the campaign is one test case,
/// which passed, or which has an error if heddle could not run it to its end.
std::string junit_report(const findings::RunDescription& run, const findings::Results& results,
                         const std::string& version, std::chrono::system_clock::time_point now);

}  // namespace heddle::report
