// heddle orders, heddle fix and heddle weaken: the memory orders of a program.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "report/orders_text.hpp"
#include "report/text.hpp"
#include "session/order_files.hpp"
#include "session/order_tasks.hpp"
#include "session/replay.hpp"
#include "session/test.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

struct OrderCommand {
  run::Use use;
  const char* description;
  Result<orders::OrderResults> (*run)(const session::OrderTask&);
};

constexpr OrderCommand orders_command{
    run::audit,
    "Says for each atomic operation of PROGRAM whether it needs its memory order: what breaks if it is one step\n"
    "weaker. Options end at PROGRAM.",
    session::audit_orders};
constexpr OrderCommand fix_command{
    run::fix,
    "Finds the smallest changes of memory orders after which PROGRAM has no bug left that memory orders can cure.\n"
    "PROGRAM may be a trace. Options end at PROGRAM.",
    session::fix_orders};
constexpr OrderCommand weaken_command{
    run::weaken,
    "Finds the weakest memory orders with which PROGRAM, and each other client, stays right. Options end at PROGRAM.",
    session::weaken_orders};

Result<std::vector<std::string>> words_of(const std::string& text) {
  auto [words, has_open_quote] = report::shell_words(text);
  if (has_open_quote) return usage_problem(fmt::format("--client {}: a quotation mark is not closed", text));
  if (words.empty()) return usage_problem("--client needs a program and its arguments: write --client 'PROGRAM ARGS'");
  return words;
}

/// A program and its arguments, or a trace, which names both.
Outcome add_program(const run::RunSpecification& run, const std::vector<std::string>& words, session::OrderTask& task) {
  campaign::Subject subject;
  subject.run = run;
  subject.program_name = words[0];
  subject.args.assign(words.begin() + 1, words.end());
  if (words.size() == 1 && words[0].ends_with(".heddle-trace")) {
    const auto trace = trace::read_trace(words[0]);
    if (!trace) return trace.problem();
    auto replay = session::Replay::of_trace(*trace, words[0], "");
    if (!replay) return replay.problem();
    subject.program_name = replay->subject.program_name;
    subject.args = replay->subject.args;
  }
  if (auto problem = session::prepare(subject)) return problem;
  task.programs.push_back(std::move(subject));
  return std::nullopt;
}

struct ParsedOptions {
  session::OrderTask task;
  bool applies = false;
};

Result<ParsedOptions> parse_options(const OrderCommand& command, std::vector<std::string> arguments) {
  const std::string usage = command_name(command.use) + " [OPTIONS] PROGRAM [ARGS...]";
  RunOptions parser(command.use, usage, command.description);
  parser.end_at_first_argument();
  ParsedOptions options;
  session::OrderTask& task = options.task;
  std::vector<std::string> clients;
  bool without_witnesses = false;
  CLI::App& app = parser.app();
  app.add_option("--client", clients, "another program with its arguments, which has to be right, too; repeatable")
      ->type_name("'PROGRAM ARGS'")
      ->allow_extra_args(false);
  app.add_option("--site", task.wanted_sites, "change only operations in this file, or at this line; repeatable")
      ->type_name("FILE[:LINE]")
      ->allow_extra_args(false);
  app.add_option(
         "--search", task.budget.search,
         fmt::format("executions of the search that is a proof if it ends; 0: none (default: {})", task.budget.search))
      ->type_name("N");
  if (command.use != run::audit)
    app.add_option("--answers", task.most_answers,
                   fmt::format("stop after so many answers (default: {})", task.most_answers))
        ->type_name("N");
  if (command.use != run::audit)
    app.add_flag("--apply", options.applies, "change the source: make the changes of the first answer");
  if (command.use == run::fix)
    app.add_flag("--fences", task.adds_fences,
                 "also add fences before and after operations; there are more answers then");
  app.add_flag("--no-witnesses", without_witnesses,
               "run the program for all orders to try, also if a bug that was found shows that they are wrong");
  const auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  task.uses_witnesses = !without_witnesses;
  if (task.most_answers == 0) return usage_problem("--answers 0: there is nothing to find; write at least 1");
  const std::vector<std::string> program = parser.remaining();
  if (!program.empty() && program[0].starts_with("-")) return parser.unknown_option(program[0]);
  if (program.empty() && clients.empty()) return usage_problem("there is no program: write " + usage);
  auto run = make_specification(command.use, *values);
  if (!run) return run.problem();
  task.budget.samples = run->runs;
  if (!program.empty())
    if (auto problem = add_program(*run, program, task)) return *problem;
  for (const std::string& client : clients) {
    auto words = words_of(client);
    if (!words) return words.problem();
    if (auto problem = add_program(*run, *words, task)) return *problem;
  }
  return options;
}

/// A line on the terminal that is updated while the search runs.
class OrderProgressLine {
 public:
  explicit OrderProgressLine(bool quiet) : is_shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {}
  ~OrderProgressLine() {
    if (has_line_) fmt::print(stderr, "\r\033[K");
  }
  OrderProgressLine(const OrderProgressLine&) = delete;
  OrderProgressLine& operator=(const OrderProgressLine&) = delete;

  void show(const session::OrderProgress& progress) {
    if (!is_shown_) return;
    fmt::print(stderr, "\r\033[Kheddle: {} choices of orders run, {} excluded by witnesses, {} answers, {} left",
               progress.trials, progress.excluded, progress.answers, progress.open);
    std::fflush(stderr);
    has_line_ = true;
  }

 private:
  bool is_shown_;
  bool has_line_ = false;
};

/// 1: a bug is left, with the orders of the first answer or without one.
int exit_code(const orders::OrderResults& results) {
  const bool is_cured = results.question == orders::OrderQuestion::fix && !results.answers.empty();
  if (!results.incurable.empty() || (!results.bugs.empty() && !is_cured)) return static_cast<int>(ExitCode::bug_found);
  return static_cast<int>(ExitCode::no_bug);
}

/// Returns the exit code.
int write_and_print(const ParsedOptions& options, const orders::OrderResults& results) {
  const run::RunSpecification& run = options.task.programs.front().run;
  const Outcome unwritten = session::write_order_reports(run, results);
  fmt::print("{}", report::orders_text(results, run.quiet));
  Outcome unapplied;
  if (options.applies && !results.answers.empty()) {
    const auto written = session::apply_answer(results, 0);
    if (!written) unapplied = written.problem();
    for (const std::string& file : written ? *written : std::vector<std::string>())
      fmt::print("heddle: {} was changed: compile the program again\n",
                 report::printable(report::short_path(file), report::Controls::escape));
  }
  const bool printed = std::fflush(stdout) == 0;
  if (unwritten) return report_problem(*unwritten);
  if (unapplied) return report_problem(*unapplied);
  if (!printed) return report_problem(test_problem("cannot write the report to standard output"));
  return exit_code(results);
}

int run_command(const OrderCommand& command, std::vector<std::string> arguments) {
  auto options = parse_options(command, std::move(arguments));
  if (!options) return report_problem(options.problem());
  std::optional<OrderProgressLine> progress(std::in_place, options->task.programs.front().run.quiet);
  options->task.on_progress = [&](const session::OrderProgress& now) { progress->show(now); };
  const auto results = command.run(options->task);
  progress.reset();
  if (!results) return report_problem(results.problem());
  return write_and_print(*options, *results);
}

}  // namespace

int command_orders(std::vector<std::string> arguments) { return run_command(orders_command, std::move(arguments)); }
int command_fix(std::vector<std::string> arguments) { return run_command(fix_command, std::move(arguments)); }
int command_weaken(std::vector<std::string> arguments) { return run_command(weaken_command, std::move(arguments)); }

}  // namespace heddle::cli
