#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>

#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/manual.hpp"
#include "cli/rank_session.hpp"

namespace heddle::cli {

namespace {

/// Opens the standard streams that are closed, so that no other file gets the descriptor 0, 1 or 2.
void ensure_standard_streams() {
  while (true) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd > 2) ::close(fd);
    if (fd < 0 || fd > 2) return;
  }
}

/// heddle help --man COMMAND and the like: the names of the formats, and the hidden flags that commands know.
constexpr std::pair<const char*, const char*> formats[] = {{"--markdown", "--help-markdown"}, {"--man", "--help-man"}};

/// heddle help ...
int help(const std::vector<std::string>& words) {
  if (words.empty()) {
    fmt::print("{}", overview());
    return 0;
  }
  if (words == std::vector<std::string>{"--strategies"}) return command_strategies();
  if (words == std::vector<std::string>{"--markdown", "strategies"}) return command_strategy_table();
  if (words == std::vector<std::string>{"--commands"}) {
    for (const Command& command : commands()) fmt::print("{}\n", command.name);
    return 0;
  }
  if (words[0] == "--compile-options" && words.size() == 2) return command_compile_options(words[1]);
  if (words[0] == "--completion" && words.size() == 2) return command_completion(words[1]);
  if (words == std::vector<std::string>{"--man"}) return print_overview_manual();
  std::string flag = words.size() == 1 ? "--help" : "";
  for (const auto& [format, hidden_flag] : formats)
    if (words.size() == 2 && words[0] == format) flag = hidden_flag;
  const Command* command = find_command(words.back());
  if (command != nullptr && flag == "--help-man" && command->is_compiler) return print_compiler_manual(*command);
  if (command != nullptr && !flag.empty() && !command->is_compiler) return command->run({flag});
  return report_problem(usage_problem(fmt::format(
      "write heddle help COMMAND, where COMMAND is {}, or heddle help --strategies", command_names(" or ", false))));
}

int run(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string_view own_name = std::string_view(name).substr(name.rfind('/') + 1);
  if (own_name == "heddle-c++") return command_compile(Language::cxx, arguments);
  if (own_name == "heddle-cc") return command_compile(Language::c, arguments);
  for (const char* tool : {"gcc-ar", "gcc-ranlib", "llvm-ar", "llvm-ranlib"})
    if (own_name == std::string("heddle-") + tool) return command_archiver(tool, arguments);
  if (arguments.empty()) {
    fmt::print(stderr, "{}", overview());
    return static_cast<int>(ExitCode::wrong_usage);
  }
  const std::string& word = arguments[0];
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (const Command* command = find_command(word)) {
    if (!command->is_compiler && !command->uses_ranks && is_left_to_rank_0()) return 0;
    return command->run(rest);
  }
  if (word == "check-report") return command_check_report(rest);
  if (word == "debug-start") return command_debug_start(rest);
  if (word == "--version" || word == "version") {
    fmt::print("heddle {}\n", HEDDLE_VERSION);
    return 0;
  }
  if (word == "help") return help(rest);
  if (word == "--help" || word == "-h") return help({});
  const char* what = word.starts_with("-") ? "option" : "command";
  return report_problem(
      usage_problem(fmt::format("there is no {} '{}'; the commands are {}", what, word, command_names(" and ", true))));
}

}  // namespace

}  // namespace heddle::cli

int main(int argc, char** argv) {
  heddle::cli::ensure_standard_streams();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  std::string problem;
  try {
    const int code = heddle::cli::run(argc > 0 ? argv[0] : "heddle", arguments);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  } catch (const std::exception& error) {  // fmt could not write, or memory ran out
    problem = error.what();
  }
  if (std::ferror(stdout) != 0 || problem.empty()) problem = "cannot write to standard output: is the disk full?";
  return heddle::cli::report_problem(heddle::test_problem(problem));
}
