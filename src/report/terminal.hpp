// What a person reads: findings, then one line of figures.
#pragma once

#include <string>

#include "findings/results.hpp"

namespace heddle::report {

enum class Colour { never, always };

/// Colours if standard output is a terminal and NO_COLOR is not set.
Colour colour_for_standard_output();

/// One finding with its accesses, stacks, output and the command that replays it. `executions` of 0: do not tell
/// how often it was found.
std::string finding_text(const findings::Finding& finding, std::uint64_t executions, Colour colour);

/// The whole report, ending with the line of figures; `quiet` leaves only that.
std::string terminal_report(const findings::Results& results, Colour colour, bool quiet);

/// "heddle: auto used random 52%, pctwm 31%, ...": the member that got most first. Empty if there was one only.
std::string learnt_text(const findings::Results& results);

/// --show-output, by execution.
std::string outputs_text(const findings::Results& results);

}  // namespace heddle::report
