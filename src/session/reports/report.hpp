// The end of heddle test, verify and merge: explains the findings, and writes traces, report files and the database.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "results/baseline.hpp"
#include "results/database.hpp"
#include "session/time_limit.hpp"
#include "session/verdict.hpp"

namespace heddle::session {

/// Whether to run the program again, to explain findings and to draw graphs.
enum class Explains { no, yes };

/// What a report compares the results with, and adds them to. Made before the campaign, which may take hours.
struct ReportFiles {
  std::optional<results::Baseline> baseline;
  std::optional<results::Database> database;
};
Result<ReportFiles> open_report_files(const run::RunSpecification& run);

struct Report {
  const campaign::Subject& subject;
  findings::Results& results;  ///< get explanations, and the paths of traces
  campaign::OutputFolder& folder;
  ReportFiles& files;
  Explains explains = Explains::yes;
  campaign::Shard shard = {};
  Deadline deadline = {};  ///< of the explanations
};

struct Reported {
  std::string graphs;  ///< the text that --print-graphs asks for
  Verdict verdict;
  Outcome unwritten;  ///< why a file could not be written
};

Result<Reported> run(const Report& report);

}  // namespace heddle::session
