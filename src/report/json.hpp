// What a program reads. Under the same seed the text is the same but for `seconds` and `rate`: it holds names and
// offsets instead of addresses, and lists have a fixed order.
#pragma once

#include <string>

#include "findings/results.hpp"

namespace heddle::report {

std::string json_report(const findings::RunDescription& run, const findings::Results& results,
                        const std::string& version);

}  // namespace heddle::report
