// Checks what the user gave, so that every mistake is reported before the first execution.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>

#include "base/arena.hpp"
#include "campaign/output_folder.hpp"
#include "cli/run_options.hpp"
#include "models/memory_model.hpp"
#include "picture/page.hpp"
#include "run/quantities.hpp"
#include "run/values.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::cli {

namespace {

using run::RunSpecification;

bool is_exhaustive(const RunSpecification& run) { return strategies::is_exhaustive(run.strategy.view()); }

bool is_given(const GivenValues& values, std::string_view name, run::Use command) {
  return values.contains(run::find_field(name, command));
}

Outcome read_values(const GivenValues& values, RunSpecification& run) {
  for (const auto& [field, value] : values) {
    const bool is_off = field->is_flag() && value.text == "0";
    if ((field->uses & run::search) != 0 && !is_off && !is_exhaustive(run)) {
      return usage_problem(fmt::format("{} is for the exhaustive search: write heddle verify", value.option));
    }
    if (value.text.empty()) {
      return usage_problem(fmt::format("{} needs a value, and got an empty one: write {} {}", value.option,
                                       value.option, field->values));
    }
    if (const auto wrong = run::parse_value(*field, value.text, run)) {
      return usage_problem(fmt::format("{} {}: {}", value.option, value.text, *wrong));
    }
  }
  return {};
}

/// One function parses the strategy, for every command.
Outcome check_strategy(const RunSpecification& run) {
  const auto wrong = [&](const char* why) {
    return usage_problem(fmt::format("--strategy {}: {}", run.strategy.view(), why));
  };
  strategies::SpecificationError error;
  if (!strategies::parse_strategy(run.strategy.view(), error)) return wrong(error.text);
  return {};
}

Outcome check_model(std::string_view name) {
  if (models::find_model(name) != nullptr) return {};
  return usage_problem(fmt::format("there is no memory model '{}'; the models are: {}", name, model_names()));
}

Outcome set_limits(run::Use command, const GivenValues& values, RunSpecification& run) {
  const bool has_other_end = run.time.count() != 0 || is_exhaustive(run);
  if (!is_given(values, "runs", command) && has_other_end) run.runs = 0;
  if (run.runs == 0 && !has_other_end) {
    return usage_problem("--runs 0 means no limit: say with --time when to stop");
  }
  if (run.stop_on_bug && run.keep_going) return usage_problem("--stop-on-bug and --keep-going contradict each other");
  // A search continues after a finding that may be suppressed or known.
  if (run.stop_on_bug && !run.baseline.empty())
    return usage_problem(
        "--stop-on-bug and --baseline contradict each other: a bug that is known would end the campaign");
  const bool may_pass_bugs = run.keep_going || !run.suppressions.empty() || !run.baseline.empty();
  run.stop_on_bug = run.stop_on_bug || (is_exhaustive(run) && !may_pass_bugs);
  return {};
}

/// The plain search of a model that has no other one cannot be divided: see exploration/enumeration.hpp.
Outcome check_divisible(const RunSpecification& run, const std::string& option) {
  alignas(std::max_align_t) std::byte memory[4096];
  base::Arena arena(memory);
  const models::MemoryModel* model = models::make_model(run.model.view(), {}, arena);
  if (model == nullptr || model->for_exploration() != nullptr) return {};
  return usage_problem(
      fmt::format("the exhaustive search under {} runs in one process: it does not take {}", run.model.view(), option));
}

/// --bound auto ends when nothing is cut off, which another bound would prevent.
Outcome check_deepening(const RunSpecification& run) {
  strategies::SpecificationError error;
  const auto strategy = strategies::parse_strategy(run.strategy.view(), error);
  if (run.bound != run::Deepening::automatic || !strategy) return {};
  const strategies::SearchBounds bounds = strategy->bounds();
  if (bounds.events == 0 && bounds.loop == 0 && bounds.switches == strategies::no_switch_bound) return {};
  return usage_problem(
      "--bound auto sets the bound by itself: it takes no --bound-switches, --bound-loop or --bound-events");
}

Outcome check_search(run::Use command, const RunSpecification& run) {
  if (is_exhaustive(run)) {
    if (run.time_model != run::TimeModel::free) {
      return usage_problem(
          "--time-model strict is for sampling: the exhaustive search explores every order, so a wait may end at "
          "any "
          "time");
    }
    if (run.isolation == run::Isolation::fork)
      return usage_problem(
          "the executions of an exhaustive search share one process: it does not take --isolation fork");
    if (auto problem = check_deepening(run)) return problem;
    return run.jobs == 1 ? Outcome{} : check_divisible(run, fmt::format("--jobs {}", run.jobs));
  }
  if (command != run::verify) return {};
  return usage_problem(fmt::format("heddle verify explores all executions; to sample them, write heddle test -s {}",
                                   run.strategy.view()));
}

/// --shard: a campaign that can be cut into parts which do not know of each other.
Outcome check_shard(const RunSpecification& run) {
  if (run.shard.empty()) return {};
  const auto shard = parse_shard(run.shard.view());
  if (!shard) return shard.problem();
  if (!run.results.empty())
    return usage_problem("a shard is no campaign of its own: give --results to heddle merge instead");
  if (!is_exhaustive(run) || shard->count == 1) return {};
  if (run.runs != 0)
    return usage_problem(
        "an exhaustive search in shards takes no --runs: no shard knows how many executions come before its own; use "
        "--time or a bound");
  if (run.bound == run::Deepening::automatic)
    return usage_problem("--bound auto takes no --shard: whether it raises the bound depends on all shards");
  return check_divisible(run, fmt::format("--shard {}", run.shard.view()));
}

/// --resume: the exhaustive search can only continue if it can be divided.
Outcome check_resume(const RunSpecification& run) {
  if (run.resume.empty() || !is_exhaustive(run)) return {};
  if (run.bound == run::Deepening::automatic)
    return usage_problem("--bound auto takes no --resume: it is a sequence of searches");
  return check_divisible(run, "--resume");
}

Outcome find_input(RunSpecification& run) {
  if (run.stdin_path.empty()) return {};
  std::error_code error;
  const std::string path = std::filesystem::absolute(run.stdin_path.c_str(), error).string();
  if (::access(path.c_str(), R_OK) != 0 || std::filesystem::is_directory(path, error) || !run.stdin_path.assign(path)) {
    return usage_problem(fmt::format("--stdin: cannot read {}; name a file that can be read", run.stdin_path.view()));
  }
  return {};
}

Outcome check_program_run(run::Use command, const GivenValues& values, RunSpecification& run) {
  if (auto problem = check_search(command, run)) return problem;
  if (auto problem = set_limits(command, values, run)) return problem;
  if (auto problem = check_shard(run)) return problem;
  if (auto problem = check_resume(run)) return problem;
  if (auto problem = find_input(run)) return problem;
  if (auto problem = check_strategy(run)) return problem;
  return check_model(run.model.view());
}

Outcome check_prediction(RunSpecification& run) {
  std::set<std::string> given;
  for (const std::string& model : split_names(run.model.view())) {
    if (auto problem = check_model(model)) return problem;
    if (models::model_named(model).is_sequential)
      return usage_problem("heddle predict looks for executions that sc forbids, so it does not take -m sc");
    if (!given.insert(model).second) return usage_problem(fmt::format("--model names {} twice", model));
  }
  if (run.cycle_length % 2 != 0) {
    return usage_problem(
        fmt::format("--cycle-length {}: a cycle has an even number of accesses, two of each thread; write {}",
                    run.cycle_length, run.cycle_length + 1));
  }
  return find_input(run);
}

Outcome check_order_run(RunSpecification& run) {
  if (auto problem = check_model(run.model.view())) return problem;
  if (models::model_named(run.model.view()).is_sequential)
    return usage_problem("memory orders have no effect under -m sc: name another model");
  return find_input(run);
}

Outcome check_litmus_run(const RunSpecification& run) {
  if (auto problem = check_strategy(run)) return problem;
  strategies::SpecificationError error;
  if (is_exhaustive(run) && !strategies::parse_strategy(run.strategy.view(), error)->given.empty()) {
    return usage_problem(fmt::format(
        "--strategy {}: heddle litmus explores litmus tests completely, without bounds; write -s exhaustive",
        run.strategy.view()));
  }
  return check_model(run.model.view());
}

}  // namespace

Result<campaign::Shard> parse_shard(std::string_view text) {
  if (text.empty()) return campaign::Shard{};
  constexpr std::uint64_t most = 1'000'000;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::uint64_t index = run::parse_number(text.substr(0, slash)).value_or(0);
  const std::uint64_t count = run::parse_number(text.substr(std::min(slash + 1, text.size()))).value_or(0);
  if (index == 0 || index > count || count > most)
    return usage_problem(fmt::format(
        "--shard {}: write I/N, such as 2/8 for the second of eight shards, with I from 1 to N and N at most {}", text,
        most));
  return campaign::Shard{index - 1, count};
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

Result<RunSpecification> make_specification(run::Use command, const GivenValues& values) {
  RunSpecification run = run::default_specification(command);
  if (auto problem = read_values(values, run)) return *problem;
  Outcome problem;
  if (command == run::litmus) problem = check_litmus_run(run);
  if (command == run::predict) problem = check_prediction(run);
  if ((command & run::change_orders) != 0) problem = check_order_run(run);
  if (command == run::test || command == run::verify) problem = check_program_run(command, values, run);
  if (problem) return *problem;
  for (const auto& [file, option] :
       {std::pair{&run.json, "--json"}, {&run.junit, "--junit"}, {&run.sarif, "--sarif"}, {&run.html, "--html"}}) {
    if (file->empty()) continue;
    if (auto unwritable = campaign::check_file_writable(file->c_str(), option)) return *unwritable;
  }
  if (!run.html.empty())
    if (auto without_pages = picture::check_pages()) return *without_pages;
  return run;
}

}  // namespace heddle::cli
