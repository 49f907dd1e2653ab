// heddle stress: compiled primitives and litmus tests on the real machine.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"
#include "cli/installation.hpp"
#include "cli/manual.hpp"
#include "cli/stress_litmus.hpp"
#include "report/text.hpp"
#include "stress/json.hpp"
#include "stress/process.hpp"
#include "stress/report.hpp"
#include "stress/session.hpp"
#include "stress/subject_cause.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

struct StressOptions {
  stress::Settings settings;
  std::vector<std::string> files;
  std::string json, html;
  std::vector<std::string> litmus;
  std::uint64_t instances = 1'000'000;
  bool compares_assembly = false;
  bool is_list = false;
  bool is_quiet = false;
};

/// What the command line has as text.
struct GivenText {
  std::vector<std::string> compilers, levels, patterns;
  std::string order = "different", barrier = "spin", pin = "yes", flags, runner;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string default_compiler() {
  const char* chosen = std::getenv("HEDDLE_CC");
  return chosen != nullptr && *chosen != '\0' ? chosen : "gcc";
}

/// The help page names the values already.
CLI::Validator silent(CLI::Validator validator) {
  validator.description("");
  return validator;
}

void add_options(CLI::App& app, StressOptions& options, GivenText& text) {
  stress::Settings& settings = options.settings;
  app.add_option("FILE", options.files, "C or C++ files with subjects, instead of those that come with heddle");
  app.add_flag("--list", options.is_list,
               "print the names of the subjects, and whether they are atomic, broken or weak");
  app.add_option("--subject", text.patterns, "run these subjects only; * stands for any characters")
      ->delimiter(',')
      ->type_name("PATTERN,...");
  app.add_option("-n,--interleaved", settings.interleaved, "run each subject until so many runs have interleaved")
      ->type_name("N")
      ->default_str("100000")
      ->check(silent(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000})));
  app.add_option("-t,--time", settings.seconds, "the longest time of a subject, in seconds")
      ->type_name("S")
      ->default_str("10")
      ->check(silent(CLI::Range(0.001, 1e6)));
  app.add_option("--threads", settings.threads, "threads, 2 to 63, also more than there are cores")
      ->type_name("N")
      ->default_str("one for each core")
      ->check(silent(CLI::Range(2U, 63U)));
  app.add_option("--order", text.order, "whether all threads use the order monitors in the same order")
      ->type_name("same|different|both")
      ->default_str("different")
      ->check(silent(CLI::IsMember({"same", "different", "both"})));
  app.add_option("--barrier", text.barrier, "what releases the threads: a spinning barrier, or a condition variable")
      ->type_name("spin|condvar|both")
      ->default_str("spin")
      ->check(silent(CLI::IsMember({"spin", "condvar", "both"})));
  app.add_option("--pin", text.pin, "pin every thread to a core")
      ->type_name("yes|no")
      ->default_str("yes")
      ->check(silent(CLI::IsMember({"yes", "no"})));
  app.add_option("--naive", settings.naive, "also run the naive test, with so many operations a thread")
      ->type_name("N");
  app.add_option("--compilers", text.compilers, "compilers under test, such as gcc,clang-16,musl-gcc")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->default_str("$HEDDLE_CC or gcc");
  app.add_option("--opt", text.levels, "optimisation levels, such as O0,O2")
      ->delimiter(',')
      ->type_name("LEVEL,...")
      ->default_str("O2");
  app.add_option("--flags", text.flags, "further options for the compilers, separated by spaces")->type_name("TEXT");
  app.add_option("--runner", text.runner, "the command that runs programs for another processor, such as qemu-aarch64")
      ->type_name("COMMAND");
  app.add_option("--litmus", options.litmus,
                 "run these litmus tests instead of subjects: files, or folders with *.litmus files")
      ->delimiter(',')
      ->type_name("PATH,...");
  app.add_option("--instances", options.instances, "run each litmus test so many times")
      ->type_name("N")
      ->default_str("1000000")
      ->check(silent(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000})));
  app.add_flag("--assembly", options.compares_assembly,
               "compare the assembly of the litmus tests with their source, instead of running them");
  app.add_option("--seed", settings.seed, "of the random delays")->type_name("N")->default_str("1");
  app.add_option("--json", options.json, "write the results to this file")->type_name("FILE");
  app.add_option("--html", options.html, "write a report with tables and bars to this file")->type_name("FILE");
  app.add_flag("-q,--quiet", options.is_quiet, "print errors and the last line only");
  // If an option is given more than once, its last value counts.
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() == 1) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  // A list is one word: what follows is a file.
  for (const char* list : {"--subject", "--compilers", "--opt", "--litmus"})
    app.get_option(list)->allow_extra_args(false);
}

std::vector<std::string> both(const std::string& word, const char* first, const char* second) {
  return word == "both" ? std::vector<std::string>{first, second} : std::vector<std::string>{word};
}

Outcome complete(StressOptions& options, const GivenText& text) {
  stress::Settings& settings = options.settings;
  settings.compilers = text.compilers.empty() ? std::vector<std::string>{default_compiler()} : text.compilers;
  auto levels = stress::parse_levels(text.levels.empty() ? std::vector<std::string>{"O2"} : text.levels);
  if (!levels) return levels.problem();
  settings.levels = *levels;
  settings.patterns = text.patterns;
  settings.orders = both(text.order, "same", "different");
  settings.barriers = both(text.barrier, "condvar", "spin");
  settings.pinned = text.pin == "yes";
  settings.flags = words_of(text.flags);
  settings.runner = words_of(text.runner);
  if (!settings.runner.empty() && stress::find_command(settings.runner[0]).empty())
    return test_problem(fmt::format("the runner {} is not installed, or not in PATH", settings.runner[0]));
  for (const auto& [path, option] : {std::pair{options.json, "--json"}, std::pair{options.html, "--html"}})
    if (!path.empty())
      if (auto unwritable = campaign::check_file_writable(path, option)) return unwritable;
  const Installation installation = find_installation();
  if (!installation.include || !installation.stress)
    return test_problem("heddle/stress.h or the subjects are not there: is heddle installed completely?");
  settings.include = *installation.include;
  settings.folder = *installation.stress;
  return std::nullopt;
}

constexpr const char* usage = "heddle stress [OPTIONS] [FILE...]";

/// heddle help --markdown stress and the like.
std::string formatted_help(const CLI::App& app, const std::string& flag) {
  if (flag == "--help-markdown") return markdown_options(app);
  if (flag == "--help-man") return manual_page(app, "stress", usage);
  for (const char* shell : {"bash", "zsh", "fish"})
    if (flag == std::string("--help-") + shell) return completion_part(app, "stress", shell);
  return "";
}

Result<StressOptions> parse_options(std::vector<std::string> arguments) {
  StressOptions options;
  GivenText text;
  CLI::App app(
      "Stress tests compiled primitives on the real machine: compiles subjects with each compiler at each level, and "
      "runs\n"
      "them on several threads, until enough runs have interleaved.",
      "heddle stress");
  app.formatter(std::make_shared<Help>(usage));
  app.set_help_flag("-h,--help", "print this page");
  add_options(app, options, text);
  if (arguments.size() == 1)
    if (const std::string help = formatted_help(app, arguments[0]); !help.empty()) return help_page(help);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the arguments from the end of the vector
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return help_page(app.help());
  } catch (const CLI::ParseError& error) {
    return usage_problem(parse_error_text(error) + "; 'heddle stress --help' lists the options");
  }
  if (!options.litmus.empty()) {  // --litmus a.litmus b.litmus
    const auto is_test = [](const std::string& file) { return file.ends_with(".litmus"); };
    std::copy_if(options.files.begin(), options.files.end(), std::back_inserter(options.litmus), is_test);
    std::erase_if(options.files, is_test);
  }
  if (options.litmus.empty() && (options.compares_assembly || app.count("--instances") != 0))
    return usage_problem("--assembly and --instances are for litmus tests: write heddle stress --litmus PATH");
  if (!options.litmus.empty() && (!options.files.empty() || options.is_list || !options.html.empty()))
    return usage_problem("heddle stress --litmus takes neither files with subjects nor --list nor --html");
  if (auto problem = complete(options, text)) return *problem;
  return options;
}

/// One run of the command.
class StressRun {
 public:
  explicit StressRun(StressOptions options) : options_(std::move(options)) {}

  int run() {
    auto files = find_files();
    if (!files) return report_problem(files.problem());
    stress::watch_signals();
    if (options_.is_list) return list(*files);
    warn_about_cores();
    cells_ = stress::run_subjects(options_.settings, *files, listener());
    if (last_ != nullptr) end_cell();
    for (stress::Cell& cell : cells_) explain(cell);
    return report();
  }

 private:
  bool is_matrix() const { return options_.settings.compilers.size() * options_.settings.levels.size() > 1; }

  Result<std::vector<stress::SubjectFile>> find_files() const {
    if (options_.files.empty()) return stress::own_subject_files(options_.settings.folder);
    std::vector<stress::SubjectFile> files;
    for (const std::string& path : options_.files) {
      auto file = stress::read_subject_file(path);
      if (!file) return file.problem();
      files.push_back(std::move(*file));
    }
    return files;
  }

  int list(const std::vector<stress::SubjectFile>& files) const {
    const auto names = stress::list_subjects(options_.settings, files);
    if (!names) return report_problem(names.problem());
    for (const std::string& name : *names) fmt::print("{}\n", name);
    return static_cast<int>(ExitCode::no_bug);
  }

  void warn_about_cores() const {
    const unsigned cores = stress::usable_cores();
    if (cores > 1 && (options_.settings.threads == 0 || options_.settings.threads <= cores)) return;
    if (cores == 1)
      fmt::print(
          stderr,
          "heddle: this process may use one core only, so threads interleave only where the kernel takes the core "
          "away from one of them: errors will be rare\n");
    else if (!options_.is_quiet)
      fmt::print(stderr, "heddle: there are {} cores for {} threads, so not all of them run at the same time\n", cores,
                 options_.settings.threads);
  }

  stress::Listener listener() {
    stress::Listener listener;
    listener.on_cell = [this](const stress::Cell& cell) {
      if (last_ != nullptr) end_cell();
      last_ = &cell;
      if (!options_.is_quiet && !is_matrix())
        fmt::print("{}, {}\n{}", printable(cell.title()), printable(cell.version), stress::metrics_head());
      std::fflush(stdout);
    };
    listener.on_result = [this](const stress::Cell& cell, const stress::SubjectResult& result) { show(cell, result); };
    listener.on_problem = [this](const std::string& problem) {
      has_problem_ = true;
      report_problem(test_problem(problem));
    };
    return listener;
  }

  static std::string printable(const std::string& text) { return report::printable(text, report::Controls::escape); }

  void show(const stress::Cell& cell, const stress::SubjectResult& result) {
    const bool is_row = result.is_bug() || (!options_.is_quiet && !is_matrix());
    if (is_row && is_matrix()) fmt::print("{}:\n", printable(cell.title()));
    if (is_row)
      fmt::print("{}{}", printable(stress::metrics_row(result)),
                 result.expectation == stress::Expectation::weak ? "" : stress::error_details(result));
    if (is_matrix() && !options_.is_quiet && ::isatty(2) != 0)
      std::fprintf(stderr, "\r%s: %zu subjects \r", cell.title().c_str(), cell.subjects.size());
    std::fflush(stdout);
  }

  void end_cell() const {
    if (is_matrix() && !options_.is_quiet) fmt::print("{}", printable(stress::cell_line(*last_)));
  }

  /// One subject of each family: the others mostly fail for the same reason.
  void explain(stress::Cell& cell) const {
    std::set<std::string> families;
    for (stress::SubjectResult& result : cell.subjects) {
      if (!result.is_bug() || stress::is_interrupted() || !families.insert(result.family()).second) continue;
      result.cause = stress::find_cause(options_.settings, cell, result).text();
      fmt::print("heddle: why {}, compiled with {}, fails\n{}", printable(result.subject), printable(cell.title()),
                 printable(result.cause));
      std::fflush(stdout);
    }
  }

  int report() {
    stress::Totals totals;
    for (const stress::Cell& cell : cells_) totals.add(cell, options_.settings.interleaved);
    if (is_matrix() && !options_.is_quiet) fmt::print("{}", printable(stress::matrix_text(cells_)));
    for (const stress::Cell& cell : cells_)
      if (!options_.is_quiet) fmt::print("{}", printable(stress::naive_text(cell)));
    const Outcome written = write_files();
    if (totals.short_of_interleavings != 0)
      fmt::print("heddle: {} subjects ended by time, before {} runs had interleaved\n", totals.short_of_interleavings,
                 options_.settings.interleaved);
    fmt::print("{}", stress::summary_line(totals));
    std::fflush(stdout);
    if (totals.bugs + totals.naive_bugs != 0) return static_cast<int>(ExitCode::bug_found);
    if (written) return report_problem(*written);
    if (stress::is_interrupted()) return report_problem(test_problem("interrupted before all subjects were run"));
    if (totals.subjects == 0 && !has_problem_)
      return report_problem(usage_problem("no subject has such a name: heddle stress --list prints the names"));
    if (totals.interleaved == 0)
      return report_problem(test_problem(
          "no run has interleaved, so nothing was tested: give the threads more cores, or more time (-t)"));
    return static_cast<int>(has_problem_ ? ExitCode::cannot_test : ExitCode::no_bug);
  }

  Outcome write_files() const {
    if (!options_.html.empty()) {
      const std::string page = stress::html_report(cells_, options_.settings, HEDDLE_VERSION);
      if (auto problem = write_file_atomically(options_.html, page)) return problem;
    }
    if (options_.json.empty()) return std::nullopt;
    nlohmann::json cells = nlohmann::json::array();
    for (const stress::Cell& cell : cells_) cells.push_back(stress::json_of(cell));
    const nlohmann::json all = {{"version", HEDDLE_VERSION},
                                {"settings", stress::json_of(options_.settings)},
                                {"cores", stress::usable_cores()},
                                {"interrupted", stress::is_interrupted()},
                                {"cells", cells}};
    return write_file_atomically(options_.json,
                                 all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }

  StressOptions options_;
  std::vector<stress::Cell> cells_;
  const stress::Cell* last_ = nullptr;
  bool has_problem_ = false;
};

}  // namespace

int command_stress(std::vector<std::string> arguments) {
  auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  if (!options->litmus.empty())
    return run_stress_litmus({{options->settings, options->instances},
                              options->litmus,
                              options->json,
                              options->compares_assembly,
                              options->is_quiet});
  return StressRun(std::move(*options)).run();
}

}  // namespace heddle::cli
