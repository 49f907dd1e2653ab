#include "cli/test_options.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "cli/run_options.hpp"

namespace heddle::cli {

namespace {

using Words = std::vector<std::string>;

const char* description_of(run::Use command) {
  if (command == run::verify) {
    return "Explores every execution of PROGRAM that the memory model allows, each one once, and reports the bugs.\n"
           "Options end at PROGRAM; the words after it are its arguments.";
  }
  return "Runs PROGRAM many times under heddle's scheduler and memory model, and reports the bugs that show.\n"
         "Options end at PROGRAM; the words after it are its arguments.";
}

Result<TestOptions> make_options(run::Use command, const GivenValues& values, const Words& program) {
  auto run = make_specification(command, values);
  if (!run) return run.problem();
  TestOptions options;
  options.subject.run = *run;
  options.shard = *parse_shard(run->shard.view());  // make_specification() has looked at it
  options.subject.program_name = program[0];
  options.subject.args.assign(program.begin() + 1, program.end());
  return options;
}

}  // namespace

Result<TestOptions> parse_test_options(run::Use command, Words arguments) {
  if (arguments.size() > 1 && arguments[0] == "--from-program") {
    const char* text = std::getenv("HEDDLE_OPTIONS");
    const auto values = values_from_environment(text != nullptr ? text : "");
    if (!values) return values.problem();
    return make_options(command, *values, {arguments.begin() + 1, arguments.end()});
  }
  const std::string name = command_name(command);
  RunOptions parser(command, name + " [OPTIONS] PROGRAM [ARGS...]", description_of(command));
  parser.end_at_first_argument();
  const auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  const Words program = parser.remaining();
  if (program.empty()) {
    return usage_problem(fmt::format("there is no program to test: write {} [OPTIONS] PROGRAM [ARGS...]", name));
  }
  if (program[0].starts_with("-")) return parser.unknown_option(program[0]);
  return make_options(command, *values, program);
}

}  // namespace heddle::cli
