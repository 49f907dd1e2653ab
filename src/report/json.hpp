// The report for programs, as JSON. Two runs with the same seed differ in `seconds` and `rate` only: the text holds
// names and offsets instead of addresses, and lists have a fixed order.
#pragma once

#include <string>

#include "findings/results.hpp"

namespace heddle::report {

/// Of the JSON that --json writes, as docs/schemas/ describes it. It grows if a field is removed or changes its
/// meaning, not if one is added.
inline constexpr int schema_version = 1;

std::string json_report(const findings::RunDescription& run, const findings::Results& results,
                        const std::string& version);

}  // namespace heddle::report
