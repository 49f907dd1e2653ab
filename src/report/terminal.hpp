// The report for people: findings, then one line of figures.
#pragma once

#include <string>

#include "findings/results.hpp"

namespace heddle::report {

enum class Colour { never, always };

/// Colours if standard output is a terminal and NO_COLOR is not set.
Colour colour_for_standard_output();

/// One finding with its accesses, stacks, output and the command that replays it. If `executions` is 0, the text does
/// not say how often it was found.
std::string finding_text(const findings::Finding& finding, std::uint64_t executions, Colour colour);

/// The whole report, which ends with the line of figures. If `quiet`, only that line.
std::string terminal_report(const findings::Results& results, Colour colour, bool quiet);

/// "heddle: auto used random 52%, pctwm 31%, ...": the member with the most executions first. Empty if there was only
/// one.
std::string learnt_text(const findings::Results& results);

/// --show-output: what the executions printed, by execution.
std::string outputs_text(const findings::Results& results);

}  // namespace heddle::report
