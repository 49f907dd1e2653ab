// heddle test and heddle verify: a campaign and its reports.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/state/campaign_state.hpp"
#include "campaign/state/shard_file.hpp"
#include "campaign/workers/worker_process.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/rank_session.hpp"
#include "cli/report_run.hpp"
#include "cli/test_options.hpp"
#include "findings/groups.hpp"
#include "findings/suppressions.hpp"
#include "findings/symbolizer.hpp"
#include "report/text.hpp"
#include "run/values.hpp"
#include "strategies/specification.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

Result<findings::Suppressions> read_suppressions(const std::string& path) {
  const auto text = read_whole_file(path);
  if (!text) return usage_problem(fmt::format("--suppressions: {}", text.problem().text));
  auto parsed = findings::Suppressions::parse(*text);
  if (const auto* wrong = std::get_if<findings::Suppressions::Malformed>(&parsed))
    return usage_problem(fmt::format("--suppressions: line {} of {} is no suppression ({}): {}", wrong->line, path,
                                     wrong->text, wrong->why));
  return std::get<findings::Suppressions>(std::move(parsed));
}

/// Finds the program, and checks that traces can be written.
Outcome prepare(campaign::Settings& settings) {
  if (auto problem = campaign::OutputFolder(settings.run.out.c_str()).check_writable()) return problem;
  auto program = campaign::inspect_program(settings.program_name);
  if (!program) return program.problem();
  settings.program = *program;
  if (settings.run.suppressions.empty()) return {};
  auto suppressions = read_suppressions(settings.run.suppressions.c_str());
  if (!suppressions) return suppressions.problem();
  settings.suppressions = std::move(*suppressions);
  const auto text = read_whole_file(settings.run.suppressions.c_str());
  if (text) settings.suppressions_text = *text;
  return {};
}

/// Each finding has a trace on disk before the terminal mentions it.
Result<findings::Results> run_once(campaign::Settings& settings, campaign::OutputFolder& folder) {
  ProgressLines progress(ProgressLines::kind_for_standard_error(settings.run.quiet), stderr);
  findings::Symbolizer symbolizer;
  findings::LiveBugs bugs;
  settings.on_progress = [&](campaign::LiveProgress live) {
    live.bugs = bugs.count();
    progress.show(live);
  };
  settings.on_finding = [&](findings::Finding finding, run::Isolation isolation) {
    // If the trace cannot be written, the end of the campaign tries again and reports why.
    const bool has_trace = !folder.write_trace(settings, isolation, finding);
    symbolizer.symbolize(finding);
    const bool is_new = bugs.is_new(finding);
    // With --stop-on-bug, another worker may still find an earlier bug, which then is the only one.
    if (!has_trace || !is_new || settings.run.stop_on_bug || !progress.shows_bugs()) return;
    progress.show_bug(finding);
    folder.keep_trace(finding);
  };
  return campaign::run_campaign(settings);
}

/// The search cannot go on, but another one could. Prepares that. Returns false if there is none: shards have to
/// explore parts of one search.
bool begin_again(campaign::Settings& settings, findings::Results& results) {
  const findings::NeededSearch& needed = *results.needed_search;
  const bool needs_sites = !needed.racy_sites.empty();
  const auto other = strategies::search_with(settings.run.strategy.view(), needed.parameter);
  if ((!other && !needs_sites) || results.interrupted) return false;
  const std::string text = needs_sites ? settings.run.strategy.c_str() : other->to_text().text;
  const std::string reason = results.failure;
  if (needs_sites)
    results.failure.clear();  // what the search has found so far counts
  else
    results.failure += fmt::format("; use -s {}", text);
  if (!settings.run.shard.empty()) return false;
  if (settings.run.time.count() != 0) {
    const std::chrono::duration<double> passed(results.statistics.seconds);
    const auto left = settings.run.time - std::chrono::duration_cast<std::chrono::milliseconds>(passed);
    if (left.count() <= 0) return false;
    settings.run.time = left;
  }
  if (!settings.run.strategy.assign(text)) return false;
  if (needs_sites && !settings.run.racy_sites.assign(needed.racy_sites)) return false;
  settings.resumed = nullptr;
  settings.has_begun_again = true;
  const std::string how = needs_sites ? "and exploring them" : "with -s " + text;
  if (!settings.run.quiet) fmt::print(stderr, "heddle: {}: beginning again {}\n", reason, how);
  return true;
}

/// Runs the campaign, and again if it has to be another one.
Result<findings::Results> run_with_progress(campaign::Settings& settings, campaign::OutputFolder& folder) {
  const auto time = settings.run.time;
  auto results = run_once(settings, folder);
  while (results && results->needed_search && begin_again(settings, *results)) results = run_once(settings, folder);
  settings.run.time = time;
  return results;
}

/// --bound auto: searches with at most 0, 1, 2, ... preemptions, until nothing is cut off, something is found, or the
/// time is over. Then the result is that of the last search that was completed.
Result<findings::Results> deepen(campaign::Settings& settings, campaign::OutputFolder& folder) {
  const run::RunSpecification run = settings.run;
  const auto start = std::chrono::steady_clock::now();
  std::optional<findings::Results> completed;
  run::Text strategy = run.strategy;  // of that search
  for (std::uint64_t most = 0;; ++most) {
    settings.run = run;
    if (run::parse_value(*run::find_field("bound-switches", run::verify), std::to_string(most), settings.run))
      return usage_problem("--strategy is too long for --bound auto");
    const auto passed = std::chrono::steady_clock::now() - start;
    if (run.time.count() != 0) {
      settings.run.time = run.time - std::chrono::duration_cast<std::chrono::milliseconds>(passed);
      if (settings.run.time.count() <= 0) break;
    }
    auto results = run_with_progress(settings, folder);
    if (!results) return results;
    const bool has_found = !results->findings.empty() || !results->failure.empty();
    if (!results->search_finished && completed && !has_found) {
      completed->interrupted = results->interrupted;
      break;
    }
    if (completed) results->switches_explored = completed->switches_explored;
    if (results->search_finished) results->switches_explored = most;
    completed = std::move(*results);
    strategy = settings.run.strategy;
    if (has_found || !completed->search_finished || completed->statistics.cut_off == 0) break;
  }
  settings.run.time = run.time;
  settings.run.strategy = strategy;
  completed->statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(*completed);
}

campaign::ShardFile state_file(const campaign::Settings& settings, run::Use command, campaign::CampaignState state) {
  campaign::ShardFile file;
  file.identity = {HEDDLE_VERSION, command,      settings.program_name,     settings.program,
                   settings.args,  settings.run, settings.suppressions_text};
  file.shard = settings.shard;
  file.state = std::move(state);
  return file;
}

/// Writes a file of a shard or a state, and its folder if there is none.
Outcome write_state(const std::string& folder, const std::string& name, const campaign::ShardFile& file) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return test_problem(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  return campaign::write_shard((std::filesystem::path(folder) / name).string(), file);
}

constexpr const char* resume_file = "campaign.heddle";

/// The search of a user, with the parameters that the program turned out to need.
std::string with_needed_parameters(std::string_view search, std::string_view needed) {
  std::string result(search);
  for (const std::uint32_t parameter : {strategies::arrivals_parameter, strategies::undone_parameter,
                                        strategies::readers_parameter, strategies::native_parameter}) {
    const bool is_needed = !strategies::search_with(needed, parameter);
    const auto other = strategies::search_with(result, parameter);
    if (is_needed && other) result = other->to_text().text;
  }
  return result;
}

/// --resume: the state in the folder; nothing if there is none.
Result<std::optional<campaign::CampaignState>> read_state(campaign::Settings& settings, run::Use command) {
  const std::filesystem::path path = std::filesystem::path(settings.run.resume.c_str()) / resume_file;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<campaign::CampaignState>{};
  auto file = campaign::read_shard(path.string());
  if (!file) return file.problem();
  if (file->state.resume && file->state.resume->has_begun_again)
    settings.has_begun_again = settings.run.strategy.assign(with_needed_parameters(
                                   settings.run.strategy.view(), file->identity.run.strategy.view())) &&
                               settings.run.racy_sites.assign(file->state.resume->racy_sites);
  campaign::CampaignIdentity mine = state_file(settings, command, {}).identity;
  mine.run.time = file->identity.run.time;  // each process has its own time
  auto difference = file->identity.difference_from(mine);
  if (!difference && file->shard != settings.shard) difference = "it is of another shard";
  if (!difference && !file->state.resume) difference = "it is the result of a shard";
  if (difference)
    return usage_problem(fmt::format("--resume: {} is the state of another campaign: {}; name another folder",
                                     path.string(), *difference));
  if (!settings.run.quiet)
    fmt::print(stderr, "heddle: continuing from {}\n", report::printable(path.string(), report::Controls::escape));
  return std::optional(std::move(file->state));
}

/// --resume: keeps the state of the campaign. A state that cannot be written is no reason to end.
void keep_state(campaign::Settings& settings, run::Use command) {
  settings.on_checkpoint = [&settings, command, warned = false](campaign::CampaignState state) mutable {
    if (state.resume) state.resume->has_begun_again = settings.has_begun_again;
    if (state.resume && settings.has_begun_again) state.resume->racy_sites = settings.run.racy_sites.view();
    const auto problem =
        write_state(settings.run.resume.c_str(), resume_file, state_file(settings, command, std::move(state)));
    if (!problem || std::exchange(warned, true)) return;
    fmt::print(stderr, "heddle: warning: the state is not kept: {}\n",
               report::printable(problem->text, report::Controls::escape));
  };
}

/// --time bounds the explanations, too. Most take less than a second.
std::chrono::milliseconds share_for_explaining(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds most{10'000};
  return std::min(time / 4, most);
}

/// Runs the campaign and reports its results.
int run_and_report(run::Use command, campaign::Settings& settings) {
  auto files = open_report_files(settings.run);
  if (!files) return report_problem(files.problem());
  campaign::OutputFolder folder(settings.run.out.c_str());
  const bool deepens = settings.run.bound == run::Deepening::automatic;
  const bool is_shard = !settings.run.shard.empty();
  std::optional<campaign::CampaignState> state, resumed;
  if (!settings.run.resume.empty()) {
    auto read = read_state(settings, command);
    if (!read) return report_problem(read.problem());
    resumed = std::move(*read);
    if (resumed) settings.resumed = &*resumed;
    keep_state(settings, command);
  }
  const auto start = campaign::Clock::now();
  if (settings.run.explain != run::Explain::none && !is_shard)
    settings.explaining_time = share_for_explaining(settings.run.time);
  if (is_shard) settings.on_state = [&](campaign::CampaignState last) { state = std::move(last); };
  auto results = deepens ? deepen(settings, folder) : run_with_progress(settings, folder);
  if (!results) return report_problem(results.problem());
  settings.resumed = nullptr;  // the executions that explain a finding are another campaign
  settings.on_checkpoint = {};
  settings.places = nullptr;
  if (settings.run.time.count() != 0) settings.ends_at = start + settings.run.time;
  Outcome state_problem;
  if (state)
    state_problem = write_state(settings.run.out.c_str(), campaign::shard_file_name(settings.shard),
                                state_file(settings, command, std::move(*state)));
  const int code = report_results(settings, *results, folder, *files, is_shard ? Explains::no : Explains::yes);
  return state_problem ? report_problem(*state_problem) : code;
}

int run_command(run::Use command, std::vector<std::string> arguments) {
  RankSession ranks(arguments);
  if (const auto done = ranks.open()) return *done;
  auto options = parse_test_options(command, std::move(arguments));
  if (!options) return report_problem(options.problem());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return static_cast<int>(ExitCode::no_bug);
  }
  if (auto problem = prepare(options->settings)) return report_problem(*problem);
  if (auto problem = ranks.begin(options->settings)) return report_problem(*problem);
  return run_and_report(command, options->settings);
}

}  // namespace

int command_test(std::vector<std::string> arguments) { return run_command(run::test, std::move(arguments)); }

int command_verify(std::vector<std::string> arguments) { return run_command(run::verify, std::move(arguments)); }

}  // namespace heddle::cli
