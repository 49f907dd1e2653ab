// The end of heddle test, verify and merge: explains the findings, and writes and prints the reports.
#pragma once

#include "campaign/output_folder.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::cli {

/// Whether to run the program again, to explain findings and to draw graphs.
enum class Explains { no, yes };

/// Returns the exit code of the command.
int report_results(const campaign::Settings& settings, findings::Results& results, campaign::OutputFolder& folder,
                   Explains explains);

}  // namespace heddle::cli
