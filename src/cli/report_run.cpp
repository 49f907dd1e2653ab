#include "cli/report_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/explain_run.hpp"
#include "cli/report_files.hpp"
#include "cli/search_graphs.hpp"
#include "findings/groups.hpp"
#include "findings/lasting_key.hpp"
#include "report/places.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"

namespace heddle::cli {

namespace {

/// The user knows of the races (--baseline), and nothing else keeps the search from being a proof.
bool has_known_race_only(const findings::Results& results) {
  channel::ProofGaps race;
  race.add(channel::ProofGap::race);
  return results.has_baseline && results.gaps.set == race;
}

int exit_code(const campaign::Settings& settings, const findings::Results& results) {
  if (!results.failure.empty()) return report_problem(test_problem(results.failure));
  if (findings::has_new_bugs(results)) return static_cast<int>(ExitCode::bug_found);
  if (!results.incomplete.empty()) return report_problem(test_problem("no bug, but " + results.incomplete));
  if (!results.stopped_by_limit.empty()) return report_problem(test_problem("no bug, but " + results.stopped_by_limit));
  const auto cut_off = [](const findings::Finding& finding) {
    return !findings::is_bug(finding) && !finding.is_warning;
  };
  if (std::any_of(results.findings.begin(), results.findings.end(), cut_off)) {
    return report_problem(test_problem("no bug, but a limit was reached, so some executions did not run to their end"));
  }
  if (results.is_exhaustive && results.search_finished && results.statistics.cut_off != 0)
    return report_problem(
        test_problem("no bug, but executions were cut off at a bound: the search was not exhaustive"));
  if (results.is_exhaustive && !results.search_finished && !results.interrupted && results.statistics.executions == 0)
    return report_problem(test_problem(
        "no execution ran to its end: the first one was still running when --time was over; raise --time, or "
        "find the loop that does not end with a small --max-events"));
  if (results.is_exhaustive && !results.search_finished && !results.interrupted)
    return report_problem(test_problem("no bug, but not all executions were explored"));
  // A shard proves nothing by itself. heddle merge says what all of them come to.
  if (results.is_exhaustive && !results.interrupted && !results.gaps.empty() && settings.shard.count == 1 &&
      !has_known_race_only(results))
    return report_problem(test_problem("no bug, but the search is no proof: " + results.gaps.text()));
  if (results.is_exhaustive && !results.interrupted && settings.shard.count == 1 && !results.has_baseline &&
      findings::has_hidden_ends(results))
    return report_problem(
        test_problem(fmt::format("no bug, but the search is no proof: {}", findings::hidden_ends_reason)));
  if (results.interrupted)
    return report_problem(test_problem(fmt::format("interrupted before all executions were done{}",
                                                   settings.run.resume.empty() ? "" : "; the same command continues")));
  const findings::Statistics& s = results.statistics;
  if (results.is_exhaustive && s.executions != 0 && s.executions == s.blocked)
    return report_problem(
        test_problem("no bug, but no execution ran to its end: in all of them, threads wait for something that the "
                     "search leaves out; -s exhaustive:spurious=N allows a thread more than one time-out"));
  if (!results.is_exhaustive && s.executions != 0 && s.executions == s.cut_off)
    return report_problem(test_problem(
        "no bug, but no execution ended normally: each of them ended its process in a way that heddle does "
        "not see, such as a system call in assembly; end the program with exit, or by returning from main"));
  // A shard of a short campaign may have nothing to do.
  if (results.statistics.executions == 0 && settings.shard.count == 1)
    return report_problem(test_problem("no execution was run to its end"));
  return static_cast<int>(ExitCode::no_bug);
}

findings::EarlyEnds early_ends_of(const campaign::Settings& settings, const findings::Results& results) {
  if (results.is_exhaustive)
    return results.search_finished ? findings::EarlyEnds::explored : findings::EarlyEnds::not_known;
  return settings.run.spurious == run::SpuriousWakeUps::rare ? findings::EarlyEnds::rare_wake_ups
                                                             : findings::EarlyEnds::not_known;
}

std::string place_text(const findings::Finding& finding) {
  const auto place = report::place_of(finding);
  return place ? fmt::format("{}:{}", std::filesystem::path(place->file).filename().string(), place->line) : "";
}

/// The campaign as --results keeps it.
results::StoredCampaign stored_campaign(const campaign::Settings& settings, const findings::Results& results,
                                        int code) {
  results::StoredCampaign campaign;
  campaign.time =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  campaign.program = std::filesystem::path(settings.program.path).filename().string();
  campaign.build = settings.program.build_id;
  for (const std::string& argument : settings.args)
    campaign.arguments += (campaign.arguments.empty() ? "" : " ") + report::shell_word(argument);
  campaign.command = results.is_exhaustive ? "verify" : "test";
  campaign.strategy = settings.run.strategy.view();
  campaign.model = settings.run.model.view();
  campaign.seed = std::to_string(settings.run.seed);
  campaign.version = HEDDLE_VERSION;
  campaign.executions = results.statistics.executions;
  campaign.buggy = results.statistics.buggy;
  campaign.graphs = results.is_exhaustive
                        ? results.statistics.executions - results.statistics.blocked - results.statistics.cut_off
                        : results.statistics.distinct_graphs;
  campaign.seconds = results.statistics.seconds;
  const bool has_known = std::any_of(results.findings.begin(), results.findings.end(),
                                     [](const findings::Finding& finding) { return finding.is_known; });
  campaign.verdict = code == static_cast<int>(ExitCode::bug_found) ? "bug"
                     : code == static_cast<int>(ExitCode::no_bug)  ? (has_known ? "known bug" : "no bug")
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

int report_results(const campaign::Settings& settings, findings::Results& results, campaign::OutputFolder& folder,
                   ReportFiles& files, Explains explains) {
  results.excludes_spurious_wake_ups = settings.run.spurious == run::SpuriousWakeUps::none;
  findings::mark_early_ends(results.findings, early_ends_of(settings, results));
  findings::group_by_root(results.findings, results.statistics.executions);
  if (files.baseline) {
    files.baseline->mark(results.findings);
    results.has_baseline = true;
  }
  std::string graphs;
  if (explains == Explains::yes) {
    const auto begin = campaign::Clock::now();
    explain_findings(settings, results, settings.ends_at);
    const auto shown = show_graphs(settings, results);
    if (!shown) return report_problem(shown.problem());
    graphs = *shown;
    results.statistics.explaining_seconds = std::chrono::duration<double>(campaign::Clock::now() - begin).count();
    results.statistics.seconds += results.statistics.explaining_seconds;
  }
  const auto trace_problem = folder.write_traces(settings, results);
  const auto file_problem = write_report_files(settings, results);
  const std::string text = graphs + annotations(settings, results) +
                           report::terminal_report(results, report::colour_for_standard_output(), settings.run.quiet);
  const auto print_problem = print_report(settings, text);
  const int code = exit_code(settings, results);
  Outcome database_problem;
  if (files.database) database_problem = files.database->add(stored_campaign(settings, results, code));
  if (database_problem) return report_problem(*database_problem);
  if (trace_problem) return report_problem(*trace_problem);
  if (file_problem) return report_problem(*file_problem);
  if (print_problem) return report_problem(*print_problem);
  return code == static_cast<int>(ExitCode::bug_found) ? static_cast<int>(settings.run.exitcode) : code;
}

}  // namespace heddle::cli
