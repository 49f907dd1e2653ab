#pragma once

#include "session/reports/report.hpp"

namespace heddle::cli {

/// Makes the report, and prints it on standard output, or where log_path says. Returns the exit code of the command.
int print_results(const session::Report& report);

}  // namespace heddle::cli
