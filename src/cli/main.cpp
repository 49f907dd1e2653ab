#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "cli/commands.hpp"

namespace heddle::cli {

namespace {

constexpr const char* help_text =
    R"(heddle finds the concurrency bugs of C and C++ programs that only show under a weak memory model.

usage: heddle c++ ARGUMENTS...                  compile and link as the C++ compiler does (HEDDLE_CXX chooses it)
       heddle cc ARGUMENTS...                   compile and link as the C compiler does (HEDDLE_CC chooses it)
       heddle test [OPTIONS] PROGRAM [ARGS...]  run a program many times, with different schedules and reads
       heddle verify [OPTIONS] PROGRAM [ARGS...]  explore every execution of a program
       heddle replay [OPTIONS] TRACE            run the execution of a finding again
       heddle predict [OPTIONS] PROGRAM [ARGS...]  predict violations of sequential consistency, and confirm them
       heddle litmus [OPTIONS] FILE...          run litmus tests in herd's C format on the memory models
       heddle --version
       heddle --help                            'heddle test --help' lists the options of heddle test, and so on

A first bug:  heddle c++ -o prog prog.cpp && heddle test ./prog
exit code: 0 no bug, 1 bug found, 2 wrong usage, 3 heddle could not test the program (it says why)
)";

/// Opens the standard streams that are closed, so that no other file gets the descriptor 0, 1 or 2.
void ensure_standard_streams() {
  while (true) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd > 2) ::close(fd);
    if (fd < 0 || fd > 2) return;
  }
}

bool is_command_with_options(std::string_view word) {
  return word == "test" || word == "verify" || word == "replay" || word == "predict" || word == "litmus";
}

int run(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string_view own_name = std::string_view(name).substr(name.rfind('/') + 1);
  if (own_name == "heddle-c++") return command_compile(Language::cxx, arguments);
  if (own_name == "heddle-cc") return command_compile(Language::c, arguments);
  if (arguments.empty()) {
    fmt::print(stderr, "{}", help_text);
    return static_cast<int>(ExitCode::wrong_usage);
  }
  const std::string& command = arguments[0];
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "c++") return command_compile(Language::cxx, rest);
  if (command == "cc") return command_compile(Language::c, rest);
  if (command == "test") return command_test(rest);
  if (command == "verify") return command_verify(rest);
  if (command == "replay") return command_replay(rest);
  if (command == "predict") return command_predict(rest);
  if (command == "litmus") return command_litmus(rest);
  if (command == "check-report") return command_check_report(rest);
  if (command == "--version" || command == "version") {
    fmt::print("heddle {}\n", HEDDLE_VERSION);
    return 0;
  }
  if (command == "help" && rest == std::vector<std::string>{"--strategies"}) return command_strategies();
  // heddle help [--markdown] COMMAND: --markdown prints the table of options for docs/cli.md.
  if (command == "help" && !rest.empty()) {
    const bool markdown = rest[0] == "--markdown";
    const std::vector<std::string> words = {rest.back(), markdown ? "--help-markdown" : "--help"};
    if (rest.size() == (markdown ? 2 : 1) && is_command_with_options(rest.back())) return run(name, words);
    return report_problem(
        usage_problem("write heddle help COMMAND, where COMMAND is test, verify, replay, predict or litmus, or heddle "
                      "help --strategies"));
  }
  if (command == "--help" || command == "-h" || command == "help") {
    fmt::print("{}", help_text);
    return 0;
  }
  const char* what = command.starts_with("-") ? "option" : "command";
  return report_problem(usage_problem(fmt::format(
      "there is no {} '{}'; the commands are c++, cc, test, verify, replay, predict and litmus", what, command)));
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
