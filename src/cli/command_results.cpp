// heddle results: lists, compares and exports what --results has kept.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "results/database.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

using results::StoredBuild;
using results::StoredCampaign;
using results::StoredFinding;
using Json = nlohmann::ordered_json;

struct ResultsOptions {
  std::string file;
  std::string program;
  std::uint64_t last = 20;
  bool lists_builds = false;
  std::string sides;  ///< --compare
  std::string older, newer;
  std::string json;
};

Result<ResultsOptions> parse_options(std::vector<std::string> arguments) {
  ResultsOptions options;
  RunOptions parser(run::results, "heddle results [OPTIONS] FILE",
                    "Shows what heddle test, verify and merge have added to FILE with --results: the last campaigns,\n"
                    "or builds, or the findings that are new, gone and still there between two builds.");
  CLI::App& app = parser.app();
  app.add_option("FILE", options.file, "a file that --results names");
  app.add_option("--program", options.program, "only campaigns of the program with this name")->type_name("NAME");
  app.add_option("--last", options.last, "how many campaigns to list (default: 20)")->type_name("N");
  app.add_flag("--builds", options.lists_builds, "list builds instead of campaigns");
  app.add_option("--compare", options.sides,
                 "compare two builds, each by the beginning of its build id, latest or previous, or two campaigns, #N")
      ->type_name("OLD..NEW");
  app.add_option("--json", options.json, "write everything, or the comparison, to this file")->type_name("FILE");
  const auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  if (options.file.empty()) return usage_problem("there is no file to show: write heddle results FILE");
  if (options.lists_builds && !options.sides.empty()) return usage_problem("write one of --builds and --compare");
  if (const std::size_t dots = options.sides.find(".."); dots != std::string::npos) {
    options.older = options.sides.substr(0, dots);
    options.newer = options.sides.substr(dots + 2);
  }
  if (!options.sides.empty() && (options.older.empty() || options.newer.empty()))
    return usage_problem(fmt::format("--compare {}: write OLD..NEW, such as previous..latest", options.sides));
  if (!options.json.empty())
    if (auto problem = campaign::check_file_writable(options.json, "--json")) return *problem;
  return options;
}

std::string time_text(std::int64_t time) {
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(time)));
}

std::string short_build(const std::string& build) { return build.substr(0, 12); }

Json findings_json(const std::vector<StoredFinding>& findings) {
  Json json = Json::array();
  for (const StoredFinding& finding : findings)
    json.push_back({{"lasting_key", finding.key},
                    {"kind", finding.kind},
                    {"headline", finding.headline},
                    {"place", finding.place},
                    {"count", finding.count},
                    {"first_execution", finding.first_execution},
                    {"trace", finding.trace}});
  return json;
}

Json campaign_json(const StoredCampaign& campaign) {
  Json curve = Json::array();
  for (const auto& point : campaign.curve)
    curve.push_back({{"executions", point.executions}, {"graphs", point.graphs}});
  return {{"campaign", campaign.number},
          {"time", campaign.time},
          {"program", campaign.program},
          {"build_id", campaign.build},
          {"arguments", campaign.arguments},
          {"command", campaign.command},
          {"strategy", campaign.strategy},
          {"model", campaign.model},
          {"seed", campaign.seed},
          {"version", campaign.version},
          {"executions", campaign.executions},
          {"buggy", campaign.buggy},
          {"distinct_graphs", campaign.graphs},
          {"seconds", campaign.seconds},
          {"verdict", campaign.verdict},
          {"findings", findings_json(campaign.findings)},
          {"over_time", std::move(curve)}};
}

Outcome write_json(const std::string& path, const Json& json) {
  return write_file_atomically(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Outcome list_campaigns(results::Database& database, const ResultsOptions& options) {
  const auto campaigns = database.campaigns(options.program, options.last);
  if (!campaigns) return campaigns.problem();
  for (const StoredCampaign& c : *campaigns) {
    fmt::print("#{}  {}  {} {}  {} {} {} seed {}  {} executions, {} buggy, {} graphs, {:.1f} s: {}\n", c.number,
               time_text(c.time), c.program, short_build(c.build), c.command, c.strategy, c.model, c.seed, c.executions,
               c.buggy, c.graphs, c.seconds, c.verdict);
    for (const StoredFinding& finding : c.findings)
      fmt::print("    {}  {}{}{}, {} times\n", finding.key, finding.headline, finding.place.empty() ? "" : " at ",
                 finding.place, finding.count);
  }
  if (options.json.empty()) return {};
  const auto all = database.everything(options.program);
  if (!all) return all.problem();
  Json json = Json::array();
  for (const StoredCampaign& campaign : *all) json.push_back(campaign_json(campaign));
  return write_json(options.json, {{"schema_version", 1}, {"campaigns", std::move(json)}});
}

Outcome list_builds(results::Database& database, const ResultsOptions& options) {
  const auto builds = database.builds(options.program);
  if (!builds) return builds.problem();
  Json json = Json::array();
  for (const StoredBuild& b : *builds) {
    fmt::print("{}  {} {}  {} campaigns, {} executions, {} findings\n", time_text(b.last_time), b.program,
               short_build(b.build), b.campaigns, b.executions, b.findings);
    json.push_back({{"program", b.program},
                    {"build_id", b.build},
                    {"time", b.last_time},
                    {"campaigns", b.campaigns},
                    {"executions", b.executions},
                    {"findings", b.findings}});
  }
  if (options.json.empty()) return {};
  return write_json(options.json, {{"schema_version", 1}, {"builds", std::move(json)}});
}

void print_findings(const char* what, const std::vector<StoredFinding>& findings) {
  for (const StoredFinding& finding : findings)
    fmt::print("{}: {}  {}{}{}\n", what, finding.key, finding.headline, finding.place.empty() ? "" : " at ",
               finding.place);
}

/// Returns the exit code: 1 if there are new findings.
Result<ExitCode> compare(results::Database& database, const ResultsOptions& options) {
  const auto comparison = database.compare(options.program, options.older, options.newer);
  if (!comparison) return comparison.problem();
  print_findings("new", comparison->fresh);
  print_findings("gone", comparison->gone);
  print_findings("still there", comparison->still);
  fmt::print("heddle: {} new, {} gone, {} still there\n", comparison->fresh.size(), comparison->gone.size(),
             comparison->still.size());
  if (!options.json.empty())
    if (auto problem = write_json(options.json, {{"schema_version", 1},
                                                 {"new", findings_json(comparison->fresh)},
                                                 {"gone", findings_json(comparison->gone)},
                                                 {"still_there", findings_json(comparison->still)}}))
      return *problem;
  return comparison->fresh.empty() ? ExitCode::no_bug : ExitCode::bug_found;
}

}  // namespace

int command_results(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  auto database = results::Database::open(options->file, results::Database::Access::read);
  if (!database) return report_problem(database.problem());
  if (!options->sides.empty()) {
    const auto code = compare(*database, *options);
    return code ? static_cast<int>(*code) : report_problem(code.problem());
  }
  const auto problem = options->lists_builds ? list_builds(*database, *options) : list_campaigns(*database, *options);
  return problem ? report_problem(*problem) : static_cast<int>(ExitCode::no_bug);
}

}  // namespace heddle::cli
