#include "cli/test_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/arena.hpp"
#include "cli/help.hpp"
#include "cli/quantities.hpp"
#include "exploration/bounds.hpp"
#include "models/memory_model.hpp"
#include "strategies/strategy.hpp"

namespace heddle::cli {

namespace {

/// As written; what they mean is worked out afterwards, so that every sentence about them is ours.
struct Written {
  std::string strategy = "auto";
  std::string model = "rc11";
  std::string release_sequence = "cpp20";
  std::string runs;
  std::string time;
  std::string jobs = "1";
  std::string seed = "1";
  std::string isolation = "auto";
  std::string max_events = "1000000";
  std::string max_memory = "4G";
  std::string timeout = "10s";
  std::string stdin_path;
  std::string bound_events;
  std::string bound_loop;
  bool symmetry = false;
  bool keep_going = false;
};

void declare_options(CLI::App& app, Written& written, TestOptions& options) {
  app.add_option("-s,--strategy", written.strategy,
                 "how to choose what happens: NAME[:key=value,...], or exhaustive [auto]");
  app.add_option("-m,--model", written.model, "memory model: rc11, c11, sc [rc11]");
  app.add_option("--release-sequence", written.release_sequence, "cpp20, or c11 for the older rule [cpp20]");
  app.add_option("-n,--runs", written.runs, "executions; 0: no limit but --time [1000]");
  app.add_option("-t,--time", written.time, "stop after this time: 10s, 2m, 500ms");
  app.add_option("-j,--jobs", written.jobs, "worker processes [1]");
  app.add_option("--seed", written.seed, "the same seed gives the same executions [1]");
  app.add_option("--isolation", written.isolation, "between executions: auto, reset, fork [auto]");
  app.add_flag("--stop-on-bug", options.settings.stop_on_bug, "stop at the first execution with a bug");
  app.add_flag("--keep-going", written.keep_going, "exhaustive search: do not stop at the first bug");
  app.add_option("--bound-events", written.bound_events, "exhaustive search: end executions after so many events");
  app.add_option("--bound-loop", written.bound_loop,
                 "exhaustive search: stop threads that come to one place more than so often");
  app.add_flag("--symmetry", written.symmetry,
               "exhaustive search: do not explore who of several equal threads does what");
  app.add_option("--max-events", written.max_events, "cut an execution off after so many events [1000000]");
  app.add_option("--max-memory", written.max_memory, "heap of one execution [4G]");
  app.add_option("--timeout", written.timeout,
                 "give an execution up after this time without a visible operation [10s]");
  app.add_option("--json", options.json, "write the result to this file");
  app.add_option("--out", options.out, "folder for traces [heddle-out]");
  app.add_option("--stdin", written.stdin_path, "what the program reads from its standard input");
  app.add_flag("--show-output", options.settings.show_output, "show what the program prints in every execution");
  app.add_flag("--leaks", options.settings.leaks, "memory that is still allocated at the end is a bug");
  app.add_flag("--aslr", options.settings.random_addresses, "leave the system's address randomisation on");
  app.add_flag("-q,--quiet", options.quiet, "print the last line only");
}

Problem not_a(const char* option, const std::string& value, const char* what) {
  return usage_problem(fmt::format("{} {}: this is not {}", option, value, what));
}

bool is_exhaustive(const Written& written) { return exploration::is_exhaustive(written.strategy); }

Outcome check_strategy(const Written& written) {
  constexpr std::size_t room = sizeof(channel::Request::strategy);
  if (written.strategy.size() >= room) return usage_problem("--strategy: this is too long");
  // Strategies may size tables by their parameters; what is not touched costs nothing.
  constexpr std::size_t size = 64 << 20;
  const std::unique_ptr<std::byte[]> memory(new std::byte[size]);
  base::Arena arena({memory.get(), size});
  strategies::SpecificationError error;
  exploration::Bounds bounds;
  if (const char* wrong = is_exhaustive(written) ? exploration::parse_bounds(written.strategy, bounds) : nullptr) {
    return usage_problem(fmt::format("--strategy {}: {}", written.strategy, wrong));
  }
  if (!is_exhaustive(written) && strategies::make_strategy(written.strategy, 1, arena, error) == nullptr) {
    return usage_problem(fmt::format("--strategy {}: {}", written.strategy, error.text));
  }
  const models::MemoryModel* model = models::make_model(written.model, {}, arena);
  if (model == nullptr || written.model.size() >= sizeof(channel::Request::model)) {
    return usage_problem(
        fmt::format("there is no memory model '{}'; the models are: {}", written.model, models::model_names()));
  }
  return {};
}

Outcome read_runs(const Written& written, campaign::Settings& settings) {
  if (!written.time.empty()) {
    settings.time = parse_duration(written.time);
    if (!settings.time) return not_a("--time", written.time, "a time: write 10s, 2m or 500ms");
  }
  // With a time alone, the time decides.
  const bool no_limit = settings.time || is_exhaustive(written);
  const std::string runs = !written.runs.empty() ? written.runs : no_limit ? "0" : "1000";
  const auto number = parse_number(runs);
  if (!number) return not_a("--runs", runs, "a number of executions: write -n 1000");
  if (*number == 0 && !no_limit) return usage_problem("--runs 0 means no limit: say with --time when to stop");
  settings.end_execution = *number == 0 ? campaign::no_end : *number;
  return {};
}

Outcome read_numbers(const Written& written, campaign::Settings& settings) {
  const auto jobs = parse_number(written.jobs);
  if (!jobs || *jobs == 0 || *jobs > 1024) return not_a("--jobs", written.jobs, "a number from 1 to 1024");
  settings.jobs = static_cast<unsigned>(*jobs);
  const auto seed = parse_number(written.seed);
  if (!seed) return not_a("--seed", written.seed, "a number: write --seed 7");
  settings.seed = *seed;
  const auto events = parse_number(written.max_events);
  if (!events || *events == 0) return not_a("--max-events", written.max_events, "a number of events above 0");
  settings.max_events = *events;
  const auto memory = parse_size(written.max_memory);
  if (!memory || *memory == 0) return not_a("--max-memory", written.max_memory, "a size: write 512M or 4G");
  settings.max_memory = *memory;
  const auto timeout = parse_duration(written.timeout);
  if (!timeout) return not_a("--timeout", written.timeout, "a time: write 10s, 2m or 500ms");
  settings.timeout = *timeout;
  return {};
}

/// Bounds are parameters of the strategy, so that a trace has them too.
Outcome add_bound(Written& written, const char* option, const std::string& value, const char* parameter) {
  if (value.empty()) return {};
  if (!is_exhaustive(written)) {
    return usage_problem(fmt::format("{} is for the exhaustive search: write heddle verify", option));
  }
  const auto number = parse_number(value);
  if (!number || *number == 0 || *number > 999'999'999) return not_a(option, value, "a number from 1 to 999999999");
  const char separator = written.strategy.find(':') == std::string::npos ? ':' : ',';
  written.strategy += fmt::format("{}{}={}", separator, parameter, *number);
  return {};
}

Outcome read_choices(const Written& written, campaign::Settings& settings) {
  const auto isolation = campaign::isolation_from_name(written.isolation);
  if (!isolation) return not_a("--isolation", written.isolation, "one of auto, reset, fork");
  settings.isolation = *isolation;
  if (is_exhaustive(written)) {
    if (settings.isolation == channel::Isolation::fork || settings.jobs != 1) {
      return usage_problem("the exhaustive search runs in one process: it takes neither --isolation fork nor --jobs");
    }
    settings.stop_on_bug = settings.stop_on_bug || !written.keep_going;
  }
  if (written.release_sequence != "cpp20" && written.release_sequence != "c11") {
    return not_a("--release-sequence", written.release_sequence, "one of cpp20, c11");
  }
  settings.release_sequence_c11 = written.release_sequence == "c11";
  settings.strategy = written.strategy;
  settings.model = written.model;
  if (!written.stdin_path.empty()) {
    std::error_code error;
    settings.stdin_path = std::filesystem::absolute(written.stdin_path, error).string();
    if (::access(settings.stdin_path.c_str(), R_OK) != 0 || std::filesystem::is_directory(settings.stdin_path, error)) {
      return usage_problem(fmt::format("--stdin: cannot read {}", written.stdin_path));
    }
  }
  return check_strategy(written);
}

Outcome read_values(Written& written, campaign::Settings& settings) {
  if (auto problem = add_bound(written, "--bound-events", written.bound_events, "events")) return problem;
  if (auto problem = add_bound(written, "--bound-loop", written.bound_loop, "loop")) return problem;
  if (auto problem = add_bound(written, "--symmetry", written.symmetry ? "1" : "", "symmetry")) return problem;
  if (auto problem = read_runs(written, settings)) return problem;
  if (auto problem = read_numbers(written, settings)) return problem;
  return read_choices(written, settings);
}

/// The program and its arguments: what the parser left from the first word that is no option.
Outcome read_program(const std::vector<std::string>& remaining, campaign::Settings& settings) {
  if (remaining.empty()) {
    return usage_problem("there is no program to test: write heddle test [OPTIONS] PROGRAM [ARGS...]");
  }
  if (remaining[0].starts_with("-")) {
    return usage_problem(
        fmt::format("there is no option {}; 'heddle test --help' lists the options (a program whose "
                    "name starts with a dash is written ./{})",
                    remaining[0], remaining[0]));
  }
  settings.program_name = remaining[0];
  settings.args.assign(remaining.begin() + 1, remaining.end());
  return {};
}

}  // namespace

Result<TestOptions> parse_test_options(std::vector<std::string> arguments) {
  TestOptions options;
  Written written;
  CLI::App app(
      "Runs PROGRAM many times under heddle's scheduler and memory model, and reports the bugs it shows.\n"
      "Options end at PROGRAM; what follows belongs to it.",
      "heddle test");
  app.formatter(std::make_shared<Help>("heddle test [OPTIONS] PROGRAM [ARGS...]"));
  app.prefix_command();
  declare_options(app, written, options);
  try {
    std::reverse(arguments.begin(), arguments.end());  // as this parse() wants them
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    options.help = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    return usage_problem(fmt::format("{}; 'heddle test --help' lists the options", parse_error_text(error)));
  }
  std::vector<std::string> remaining = app.remaining();
  if (!remaining.empty() && remaining[0] == "--") remaining.erase(remaining.begin());
  if (auto problem = read_program(remaining, options.settings)) return *problem;
  if (auto problem = read_values(written, options.settings)) return *problem;
  return options;
}

}  // namespace heddle::cli
