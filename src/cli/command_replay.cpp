// heddle replay: one execution again, as its trace tells.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/debugger.hpp"
#include "cli/help.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "trace/atomic_file.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

struct ReplayOptions {
  std::string trace;
  std::string json;
  std::string program;  ///< empty: the one that the trace names
  bool show_output = false;
  bool gdb = false;
  std::string help;
};

Result<ReplayOptions> parse_options(std::vector<std::string> arguments) {
  ReplayOptions options;
  CLI::App app("Runs the execution that TRACE recorded once more, event by event, and shows its finding.",
               "heddle replay");
  app.formatter(std::make_shared<Help>("heddle replay [OPTIONS] TRACE"));
  app.add_option("TRACE", options.trace, "a file that heddle test wrote");
  app.add_flag("--show-output", options.show_output, "show what the program prints");
  app.add_option("--json", options.json, "write the result to this file");
  app.add_option("--program", options.program, "the program, if it is not where it was");
  app.add_flag("--gdb", options.gdb, "run it under gdb");
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    options.help = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    return usage_problem(fmt::format("{}; 'heddle replay --help' lists the options", parse_error_text(error)));
  }
  if (options.trace.empty()) return usage_problem("there is no trace to replay: write heddle replay TRACE");
  if (!options.json.empty()) {
    if (auto problem = campaign::check_file_writable(options.json, "--json")) return *problem;
  }
  return options;
}

Result<campaign::ProgramFile> find_program(const ReplayOptions& options, const trace::TraceFile& trace) {
  auto program = campaign::inspect_program(options.program.empty() ? trace.program : options.program);
  if (!program) {
    Problem problem = program.problem();
    if (options.program.empty()) problem.text += "; --program says where the program of this trace is now";
    return problem;
  }
  if (program->build_id != trace.build_id) {
    return test_problem(
        fmt::format("{} is not the program that {} was recorded with (its build id is {}, the trace has "
                    "{}): it has been rebuilt; record the trace again or name the old program with "
                    "--program",
                    program->path, options.trace, program->build_id, trace.build_id));
  }
  return program;
}

Result<campaign::Settings> make_settings(const ReplayOptions& options, const trace::TraceFile& trace) {
  auto program = find_program(options, trace);
  if (!program) return program.problem();
  campaign::Settings settings;
  settings.program = *program;
  settings.program_name = options.program.empty() ? trace.program : options.program;
  settings.args = trace.args;
  settings.stdin_path = trace.stdin_path;
  settings.strategy = trace.strategy;
  settings.model = trace.model;
  settings.release_sequence_c11 = trace.release_sequence == "c11";
  settings.isolation = campaign::isolation_from_name(trace.isolation).value_or(channel::Isolation::automatic);
  settings.seed = trace.seed;
  settings.first_execution = trace.execution;
  settings.end_execution = trace.execution + 1;
  settings.max_events = trace.max_events;
  settings.max_memory = trace.max_memory;
  settings.timeout = std::chrono::milliseconds(trace.timeout_ms);
  settings.leaks = trace.leaks;
  settings.show_output = options.show_output;
  // Without a record of its decisions, an execution is found again by its number and seed.
  settings.mode = trace.recorded ? channel::Mode::replay : channel::Mode::test;
  settings.decisions = trace.decisions;
  settings.check = trace.check;
  return settings;
}

/// What was replayed, and whether it was the finding of the trace.
int report(const ReplayOptions& options, const trace::TraceFile& trace, const campaign::Settings& settings,
           findings::Results& results) {
  if (!options.json.empty()) {
    const findings::RunDescription run{settings.program_name, settings.args,          settings.strategy,
                                       settings.model,        trace.release_sequence, settings.seed};
    if (auto problem = write_file_atomically(options.json, report::json_report(run, results, HEDDLE_VERSION))) {
      return report_problem(*problem);
    }
  }
  const auto same = std::find_if(results.findings.begin(), results.findings.end(),
                                 [&](const auto& finding) { return finding.key == trace.finding_key; });
  fmt::print("{}", report::outputs_text(results));
  if (same != results.findings.end()) {
    fmt::print("{}", report::finding_text(*same, 0, report::colour_for_standard_output()));
    fmt::print("heddle: replayed execution {} of {}: the same finding\n", trace.execution, options.trace);
    return static_cast<int>(ExitCode::bug_found);
  }
  for (const auto& finding : results.findings) {
    fmt::print("{}\n", report::finding_text(finding, 0, report::colour_for_standard_output()));
  }
  std::fflush(stdout);
  const std::string why = results.failure.empty() ? "" : fmt::format(": {}", results.failure);
  return report_problem(test_problem(
      fmt::format("the finding of {} ({}) was not reproduced{}", options.trace, trace.finding_message, why)));
}

}  // namespace

int command_replay(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return 0;
  }
  const auto trace = trace::read_trace(options->trace);
  if (!trace) return report_problem(trace.problem());
  const auto settings = make_settings(*options, *trace);
  if (!settings) return report_problem(settings.problem());
  if (options->gdb) return run_under_gdb(*settings);
  auto results = campaign::run_campaign(*settings);
  if (!results) return report_problem(results.problem());
  return report(*options, *trace, *settings, *results);
}

}  // namespace heddle::cli
