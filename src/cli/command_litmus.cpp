// heddle litmus: runs litmus tests in herd's C format on the memory models, without a compiler.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "litmus/parser.hpp"
#include "litmus/runner.hpp"
#include "litmus/test_files.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "strategies/strategy_specification.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

struct LitmusOptions {
  run::RunSpecification run;
  std::vector<std::string> paths;
  std::string expect;
};

Result<LitmusOptions> parse_options(std::vector<std::string> arguments) {
  LitmusOptions options;
  RunOptions parser(run::litmus, "heddle litmus [OPTIONS] FILE|FOLDER...",
                    "Runs litmus tests in herd's C format and prints their final states and verdicts.");
  CLI::App& app = parser.app();
  app.add_option("FILE", options.paths, "litmus tests, or folders whose *.litmus files are litmus tests");
  app.add_option("--expect", options.expect,
                 "compare with the states in this file, one JSON record a line; exit code 1 if any test differs")
      ->type_name("FILE");
  auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  auto run = make_specification(run::litmus, *values);
  if (!run) return run.problem();
  options.run = *run;
  if (options.paths.empty()) return usage_problem("there is no test to run: write heddle litmus FILE");
  return options;
}

constexpr auto replace_bytes = nlohmann::json::error_handler_t::replace;

nlohmann::json record_of(const std::string& file, const litmus::Test& test, const litmus::Histogram& histogram,
                         const LitmusOptions& options) {
  nlohmann::json states = nlohmann::json::array(), counts = nlohmann::json::array();
  for (const auto& [state, count] : histogram.states) {
    states.push_back(test.as_map(state));
    counts.push_back(count);
  }
  return {{"schema_version", report::schema_version},
          {"name", report::json_text(test.name)},
          {"file", report::json_text(file)},
          {"model", options.run.model.c_str()},
          {"undefined", histogram.has_race},
          {"states", states},
          {"counts", counts},
          {"total", histogram.total}};
}

/// The outcome of one test, ready to print.
struct TestOutcome {
  bool was_run = true;
  std::string text;
  std::string json;
  std::uint64_t states = 0;
  std::uint64_t executions = 0;
  bool is_undefined = false;
  bool differs = false;
  bool was_stopped = false;
};

// The signal handler sets it. A process runs the command once.
litmus::StopFlag end_wanted{false};

/// On Ctrl-C and the like, the running tests stop after their current execution, and the results so far are printed.
void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int) { end_wanted.store(true, std::memory_order_relaxed); });
}

/// One run of the command. It owns the memory of the model.
class LitmusRun {
 public:
  explicit LitmusRun(LitmusOptions options) : options_(std::move(options)), arena_(memory_) {}

  int run() {
    if (auto problem = prepare()) return report_problem(*problem);
    auto files = litmus::find_test_files(options_.paths);
    if (!files) return report_problem(files.problem());
    // Read every file before running the first test, so that a syntax error is not reported after an hour.
    std::vector<litmus::Test> tests;
    for (const std::string& file : *files) {
      auto test = litmus::read_test(file);
      if (!test) return report_problem(usage_problem(test.problem().text));
      if (!options_.expect.empty() && !expectations_.contains(report::json_text(test->name)))
        return report_problem(usage_problem(fmt::format("{} has no record of '{}'", options_.expect, test->name)));
      tests.push_back(std::move(*test));
    }
    watch_signals();
    run_tests(*files, tests);
    if (!options_.run.json.empty()) {
      if (auto problem = write_file_atomically(options_.run.json.c_str(), total_.json)) return report_problem(*problem);
    }
    const std::string of_all = run_ == tests.size() ? "" : fmt::format(" of {}", tests.size());
    fmt::print("heddle: {}{} tests, {} states in {} {}, {} undefined", run_, of_all, total_.states, total_.executions,
               is_exhaustive() ? "execution graphs" : "executions", undefined_);
    if (!options_.expect.empty())
      fmt::print(", {} differ from {}", different_, report::printable(options_.expect, report::Controls::escape));
    fmt::print("\n");
    if (different_ != 0) return static_cast<int>(ExitCode::bug_found);
    if (total_.was_stopped) return report_problem(test_problem("interrupted before all tests were done"));
    return static_cast<int>(ExitCode::no_bug);
  }

 private:
  bool is_exhaustive() const { return strategies::is_exhaustive(options_.run.strategy.view()); }

  Outcome prepare() {
    model_ = models::make_model(options_.run.model.view(), models::options_of(options_.run), arena_);
    if (options_.expect.empty()) return std::nullopt;
    auto expectations = litmus::read_expectations(options_.expect);
    if (!expectations) return usage_problem(expectations.problem().text);
    expectations_ = std::move(*expectations);
    return std::nullopt;
  }

  /// Prints the outcomes in the order of the tests, each one as soon as those before it are known.
  void run_tests(const std::vector<std::string>& files, const std::vector<litmus::Test>& tests) {
    std::vector<std::promise<TestOutcome>> outcomes(tests.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < tests.size(); i = next++) {
        try {
          outcomes[i].set_value(run_test(files[i], tests[i]));
        } catch (...) {  // the thread that prints the outcomes gets it
          outcomes[i].set_exception(std::current_exception());
        }
      }
    };
    std::vector<std::jthread> workers;
    for (unsigned j = 0; j < std::min<std::size_t>(options_.run.jobs, tests.size()); ++j) workers.emplace_back(work);
    for (auto& outcome : outcomes) add(outcome.get_future().get());
  }

  TestOutcome run_test(const std::string& file, const litmus::Test& test) const {
    TestOutcome outcome;
    outcome.was_run = !litmus::is_set(&end_wanted);
    outcome.was_stopped = !outcome.was_run;
    if (!outcome.was_run) return outcome;
    const litmus::Histogram histogram =
        is_exhaustive() ? litmus::run_exhaustively(test, *model_, &end_wanted) : sample(test);
    outcome.was_stopped = histogram.was_stopped;
    outcome.states = histogram.states.size();
    outcome.executions = histogram.total;
    outcome.is_undefined = histogram.has_race;
    if (!options_.run.quiet) outcome.text = fmt::format("{}\n", herd_text(test, histogram));
    if (!options_.run.json.empty())
      outcome.json = record_of(file, test, histogram, options_).dump(-1, ' ', false, replace_bytes) + "\n";
    if (options_.expect.empty()) return outcome;
    const std::string text = differences(test, histogram, expectations_.at(report::json_text(test.name)));
    if (text.empty()) return outcome;
    outcome.differs = true;
    outcome.text += fmt::format("{} differs from {}:\n{}", test.name, options_.expect, text);
    return outcome;
  }

  /// Each test gets a strategy of its own: what it learns from one test does not hold for the next, and tests may run
  /// at the same time.
  litmus::Histogram sample(const litmus::Test& test) const {
    constexpr std::size_t memory_size = std::size_t{1} << 20;
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(memory_size);
    base::Arena arena({memory.get(), memory_size});
    strategies::SpecificationError error;
    strategies::Strategy* strategy = strategies::make_strategy(
        *strategies::parse_strategy(options_.run.strategy.view(), error), options_.run.seed, arena);
    return litmus::run_sampling(test, *model_, *strategy, options_.run.runs, &end_wanted);
  }

  void add(const TestOutcome& outcome) {
    fmt::print("{}", report::printable(outcome.text, report::Controls::escape));
    total_.json += outcome.json;
    total_.states += outcome.states;
    total_.executions += outcome.executions;
    total_.was_stopped |= outcome.was_stopped;
    run_ += outcome.was_run;
    undefined_ += outcome.is_undefined;
    different_ += outcome.differs;
  }

  LitmusOptions options_;
  alignas(std::max_align_t) std::array<std::byte, 4096> memory_{};
  base::Arena arena_;
  const models::MemoryModel* model_ = nullptr;
  std::map<std::string, litmus::Expectation> expectations_;
  TestOutcome total_;
  std::uint64_t run_ = 0, undefined_ = 0, different_ = 0;
};

}  // namespace

int command_litmus(std::vector<std::string> arguments) {
  auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  return LitmusRun(std::move(*options)).run();
}

}  // namespace heddle::cli
