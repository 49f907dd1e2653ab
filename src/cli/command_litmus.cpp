// heddle litmus: herd's C litmus tests on the core, without a compiler.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "litmus/parser.hpp"
#include "litmus/runner.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

struct LitmusOptions {
  std::vector<std::string> paths;
  std::string model = "rc11";
  std::string release_sequence = "cpp20";
  std::string strategy = "exhaustive";
  std::string expect;
  std::string json;
  std::uint64_t runs = 20000;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  bool quiet = false;
  std::string help;
};

Result<LitmusOptions> parse_options(std::vector<std::string> arguments) {
  LitmusOptions options;
  CLI::App app("Runs litmus tests in herd's C format and prints their final states and verdicts.", "heddle litmus");
  app.formatter(std::make_shared<Help>("heddle litmus [OPTIONS] FILE|FOLDER..."));
  app.add_option("FILE", options.paths, "tests, and folders in which every *.litmus is one");
  app.add_option("-m,--model", options.model, fmt::format("one of {} [rc11]", models::model_names()));
  app.add_option("--release-sequence", options.release_sequence, "cpp20, or c11 for the older rule [cpp20]");
  app.add_option("-s,--strategy", options.strategy,
                 fmt::format("exhaustive, or one of {} [exhaustive]", strategies::strategy_names()));
  app.add_option("-n,--runs", options.runs, "executions a test, unless the strategy is exhaustive [20000]");
  app.add_option("--seed", options.seed, "of a strategy that is random [1]");
  app.add_option("--expect", options.expect, "compare with the states in this file, a JSON record a line");
  app.add_option("--json", options.json, "write the states to this file, a JSON record a line");
  app.add_option("-j,--jobs", options.jobs, "tests that run at the same time [1]")->check(CLI::Range(1, 1024));
  app.add_flag("-q,--quiet", options.quiet, "print differences and totals only");
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    options.help = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    return usage_problem(fmt::format("{}; 'heddle litmus --help' lists the options", parse_error_text(error)));
  }
  if (options.paths.empty()) return usage_problem("there is no test to run: write heddle litmus FILE");
  if (options.release_sequence != "cpp20" && options.release_sequence != "c11")
    return usage_problem(fmt::format("--release-sequence is cpp20 or c11, not '{}'", options.release_sequence));
  return options;
}

Result<std::vector<std::string>> find_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().extension() == ".litmus") inside.push_back(entry.path().string());
    if (error) return usage_problem(fmt::format("{} cannot be read: {}", path, error.message()));
    if (inside.empty()) return usage_problem(fmt::format("there is no *.litmus in {}", path));
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

nlohmann::json record_of(const std::string& file, const litmus::Test& test, const litmus::Histogram& histogram,
                         const LitmusOptions& options) {
  nlohmann::json states = nlohmann::json::array(), counts = nlohmann::json::array();
  for (const auto& [state, count] : histogram.states) {
    states.push_back(test.as_map(state));
    counts.push_back(count);
  }
  return {{"name", test.name}, {"file", file},     {"model", options.model},  {"undefined", histogram.has_race},
          {"states", states},  {"counts", counts}, {"total", histogram.total}};
}

/// What one test came to, ready to print.
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

// The signal handler's; there is one run of the command in a process.
litmus::StopFlag end_wanted{false};

/// Whoever wants an end gets what is there so far, soon: executions are short.
void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int) { end_wanted.store(true, std::memory_order_relaxed); });
}

/// One run of the command: the model lives as long as it does.
class LitmusRun {
 public:
  explicit LitmusRun(LitmusOptions options) : options_(std::move(options)), arena_(memory_) {}

  int run() {
    if (auto problem = prepare()) return report_problem(*problem);
    auto files = find_files(options_.paths);
    if (!files) return report_problem(files.problem());
    // Every file is read before the first is run: a wrong one should not show up after an hour.
    std::vector<litmus::Test> tests;
    for (const std::string& file : *files) {
      auto test = litmus::read_test(file);
      if (!test) return report_problem(usage_problem(test.error().text()));
      if (!options_.expect.empty() && !expectations_.contains(test->name))
        return report_problem(usage_problem(fmt::format("{} has no record of '{}'", options_.expect, test->name)));
      tests.push_back(std::move(*test));
    }
    watch_signals();
    run_tests(*files, tests);
    if (!options_.json.empty()) {
      if (auto problem = write_file_atomically(options_.json, total_.json)) return report_problem(*problem);
    }
    const std::string of_all = run_ == tests.size() ? "" : fmt::format(" of {}", tests.size());
    fmt::print("heddle: {}{} tests, {} states in {} {}, {} undefined", run_, of_all, total_.states, total_.executions,
               is_exhaustive() ? "execution graphs" : "executions", undefined_);
    if (!options_.expect.empty()) fmt::print(", {} differ from {}", different_, options_.expect);
    fmt::print("\n");
    if (different_ != 0) return static_cast<int>(ExitCode::bug_found);
    if (total_.was_stopped) return report_problem(test_problem("interrupted before all tests were done"));
    return static_cast<int>(ExitCode::no_bug);
  }

 private:
  bool is_exhaustive() const { return options_.strategy == "exhaustive"; }

  Outcome prepare() {
    const auto release_sequence =
        options_.release_sequence == "c11" ? models::ReleaseSequence::c11 : models::ReleaseSequence::cpp20;
    model_ = models::make_model(options_.model, {release_sequence}, arena_);
    if (model_ == nullptr)
      return usage_problem(
          fmt::format("there is no model '{}'; the models are: {}", options_.model, models::model_names()));
    if (!is_exhaustive()) {
      strategies::SpecificationError error;
      if (strategies::make_strategy(options_.strategy, options_.seed, arena_, error) == nullptr)
        return usage_problem(error.text);
    }
    if (options_.expect.empty()) return std::nullopt;
    auto expectations = litmus::read_expectations(options_.expect);
    if (!expectations) return usage_problem(expectations.error().text());
    expectations_ = std::move(*expectations);
    return std::nullopt;
  }

  /// The outcomes are printed in the order of the tests, each as soon as those before it are there.
  void run_tests(const std::vector<std::string>& files, const std::vector<litmus::Test>& tests) {
    std::vector<std::promise<TestOutcome>> outcomes(tests.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < tests.size(); i = next++) outcomes[i].set_value(run_test(files[i], tests[i]));
    };
    std::vector<std::jthread> workers;
    for (unsigned j = 0; j < std::min<std::size_t>(options_.jobs, tests.size()); ++j) workers.emplace_back(work);
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
    if (!options_.quiet) outcome.text = fmt::format("{}\n", herd_text(test, histogram));
    if (!options_.json.empty()) outcome.json = record_of(file, test, histogram, options_).dump() + "\n";
    if (options_.expect.empty()) return outcome;
    const std::string text = differences(test, histogram, expectations_.at(test.name));
    if (text.empty()) return outcome;
    outcome.differs = true;
    outcome.text += fmt::format("{} differs from {}:\n{}", test.name, options_.expect, text);
    return outcome;
  }

  /// A strategy a test: what it learns from one says nothing about the next, and tests may run side by side.
  litmus::Histogram sample(const litmus::Test& test) const {
    constexpr std::size_t memory_size = std::size_t{1} << 20;
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(memory_size);
    base::Arena arena({memory.get(), memory_size});
    strategies::SpecificationError error;
    strategies::Strategy* strategy = strategies::make_strategy(options_.strategy, options_.seed, arena, error);
    return litmus::run_sampling(test, *model_, *strategy, options_.runs, &end_wanted);
  }

  void add(const TestOutcome& outcome) {
    fmt::print("{}", outcome.text);
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
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return static_cast<int>(ExitCode::no_bug);
  }
  return LitmusRun(std::move(*options)).run();
}

}  // namespace heddle::cli
