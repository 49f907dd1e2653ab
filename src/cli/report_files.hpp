// Where the results of a campaign go: files for other programs, and the report for people.
#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::cli {

/// Writes the files of --json, --junit, --sarif and --html. All are tried; the first problem is returned.
Outcome write_report_files(const campaign::Settings& settings, const findings::Results& results);

/// The lines of --annotations; empty: they are not wanted.
std::string annotations(const campaign::Settings& settings, const findings::Results& results);

/// Prints the report on standard output, or where log_path says.
Outcome print_report(const campaign::Settings& settings, const std::string& text);

}  // namespace heddle::cli
