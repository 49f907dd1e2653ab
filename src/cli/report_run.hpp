// The end of heddle test, verify and merge: explains the findings, and writes and prints the reports.
#pragma once

#include <optional>

#include "campaign/output_folder.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "results/baseline.hpp"
#include "results/database.hpp"

namespace heddle::cli {

/// Whether to run the program again, to explain findings and to draw graphs.
enum class Explains { no, yes };

/// What a report compares the results with, and adds them to. Made before the campaign, which may take hours.
struct ReportFiles {
  std::optional<results::Baseline> baseline;
  std::optional<results::Database> database;
};
Result<ReportFiles> open_report_files(const run::RunSpecification& run);

/// Returns the exit code of the command.
int report_results(const campaign::Settings& settings, findings::Results& results, campaign::OutputFolder& folder,
                   ReportFiles& files, Explains explains);

}  // namespace heddle::cli
