#include "session/reports/report.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>

#include "findings/groups.hpp"
#include "findings/lasting_key.hpp"
#include "report/places.hpp"
#include "report/text.hpp"
#include "session/explain.hpp"
#include "session/reports/graphs.hpp"
#include "session/reports/report_files.hpp"

namespace heddle::session {

namespace {

findings::EarlyEnds early_ends_of(const campaign::Subject& subject, const findings::Results& results) {
  if (results.is_exhaustive)
    return results.search_finished ? findings::EarlyEnds::explored : findings::EarlyEnds::not_known;
  return subject.run.spurious == run::SpuriousWakeUps::rare ? findings::EarlyEnds::rare_wake_ups
                                                            : findings::EarlyEnds::not_known;
}

std::string place_text(const findings::Finding& finding) {
  const auto place = report::place_of(finding);
  return place ? fmt::format("{}:{}", std::filesystem::path(place->file).filename().string(), place->line) : "";
}

/// The campaign as --results keeps it.
results::StoredCampaign stored_campaign(const campaign::Subject& subject, const findings::Results& results,
                                        ExitCode code) {
  results::StoredCampaign campaign;
  campaign.time =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  campaign.program = std::filesystem::path(subject.program.path).filename().string();
  campaign.build = subject.program.build_id;
  for (const std::string& argument : subject.args)
    campaign.arguments += (campaign.arguments.empty() ? "" : " ") + report::shell_word(argument);
  campaign.command = results.is_exhaustive ? "verify" : "test";
  campaign.strategy = subject.run.strategy.view();
  campaign.model = subject.run.model.view();
  campaign.seed = std::to_string(subject.run.seed);
  campaign.version = HEDDLE_VERSION;
  campaign.executions = results.statistics.executions;
  campaign.buggy = results.statistics.buggy;
  campaign.graphs = results.is_exhaustive
                        ? results.statistics.executions - results.statistics.blocked - results.statistics.cut_off
                        : results.statistics.distinct_graphs;
  campaign.seconds = results.statistics.seconds;
  const bool has_known = std::any_of(results.findings.begin(), results.findings.end(),
                                     [](const findings::Finding& finding) { return finding.is_known; });
  campaign.verdict = code == ExitCode::bug_found ? "bug"
                     : code == ExitCode::no_bug  ? (has_known ? "known bug" : "no bug")
                                                 : "incomplete";
  for (const findings::Finding& finding : results.findings) {
    if (!channel::is_bug(finding.kind)) continue;
    campaign.findings.push_back({findings::lasting_key_text(finding),
                                 std::string(channel::name_of(finding.kind)),
                                 report::printable(report::headline(finding), report::Controls::escape),
                                 report::printable(place_text(finding), report::Controls::escape),
                                 finding.count,
                                 finding.execution,
                                 finding.trace,
                                 {}});
    for (const findings::Finding& variant : finding.variants)
      campaign.findings.back().variants.push_back(findings::lasting_key_text(variant));
  }
  campaign.curve = results.coverage.over_time;
  return campaign;
}

}  // namespace

Result<ReportFiles> open_report_files(const run::RunSpecification& run) {
  ReportFiles files;
  if (!run.baseline.empty()) {
    auto baseline = results::Baseline::read(run.baseline.c_str());
    if (!baseline) return baseline.problem();
    files.baseline.emplace(std::move(*baseline));
  }
  if (!run.results.empty()) {
    auto database = results::Database::open(run.results.c_str(), results::Database::Access::write);
    if (!database) return database.problem();
    files.database.emplace(std::move(*database));
  }
  return files;
}

Result<Reported> run(const Report& report) {
  findings::Results& results = report.results;
  Reported reported;
  results.excludes_spurious_wake_ups = report.subject.run.spurious == run::SpuriousWakeUps::none;
  findings::mark_early_ends(results.findings, early_ends_of(report.subject, results));
  findings::group_by_root(results.findings, results.statistics.executions);
  if (report.files.baseline) {
    report.files.baseline->mark(results.findings);
    results.has_baseline = true;
  }
  if (report.explains == Explains::yes) {
    const auto begin = Clock::now();
    explain_findings(report.subject, results, report.deadline);
    auto graphs = show_graphs(report.subject, results);
    if (!graphs) return graphs.problem();
    reported.graphs = std::move(*graphs);
    results.statistics.explaining_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    results.statistics.seconds += results.statistics.explaining_seconds;
  }
  const auto trace_problem = report.folder.write_traces(report.subject, results);
  const auto file_problem = write_report_files(report.subject, results);
  reported.verdict = verdict_of(report.subject, report.shard, results);
  if (report.files.database)
    reported.unwritten = report.files.database->add(stored_campaign(report.subject, results, reported.verdict.code));
  if (!reported.unwritten) reported.unwritten = trace_problem;
  if (!reported.unwritten) reported.unwritten = file_problem;
  return reported;
}

}  // namespace heddle::session
