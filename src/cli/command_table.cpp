#include "cli/command_table.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"

namespace heddle::cli {

namespace {

// All commands have this type. NOLINTBEGIN(performance-unnecessary-value-param)
int compile_cxx(std::vector<std::string> arguments) { return command_compile(Language::cxx, arguments); }
int compile_c(std::vector<std::string> arguments) { return command_compile(Language::c, arguments); }
// NOLINTEND(performance-unnecessary-value-param)

// clang-format off
constexpr Command table[] = {
    {"c++",     "ARGUMENTS...",                "compile and link as the C++ compiler does (HEDDLE_CXX chooses it)", compile_cxx,     true},
    {"cc",      "ARGUMENTS...",                "compile and link as the C compiler does (HEDDLE_CC chooses it)",    compile_c,       true},
    {"test",    "[OPTIONS] PROGRAM [ARGS...]", "run a program many times, with different schedules and reads",      command_test,    false, true},
    {"verify",  "[OPTIONS] PROGRAM [ARGS...]", "explore every execution of a program",                              command_verify,  false, true},
    {"merge",   "[OPTIONS] DIR...",            "make one result of the shards of a campaign",                       command_merge,   false},
    {"results", "[OPTIONS] FILE",              "show and compare the results of campaigns",                         command_results, false},
    {"replay",  "[OPTIONS] TRACE",             "run the execution of a finding again",                              command_replay,  false},
    {"minimize", "[OPTIONS] TRACE",            "find the simplest execution with the same finding",                 command_minimize, false},
    {"show",    "[OPTIONS] TRACE",             "draw the execution of a finding",                                   command_show,    false},
    {"predict", "[OPTIONS] PROGRAM [ARGS...]", "predict violations of sequential consistency, and confirm them",    command_predict, false},
    {"orders",  "[OPTIONS] PROGRAM [ARGS...]", "which memory orders the program needs, and which it does not",      command_orders,  false},
    {"fix",     "[OPTIONS] PROGRAM [ARGS...]", "the smallest changes of memory orders that remove its bugs",        command_fix,     false},
    {"weaken",  "[OPTIONS] PROGRAM [ARGS...]", "the weakest memory orders with which it stays right",               command_weaken,  false},
    {"litmus",  "[OPTIONS] FILE...",           "run litmus tests in herd's C format on the memory models",          command_litmus,  false},
    {"stress",  "[OPTIONS] [FILE...]",         "stress test compiled primitives on this machine",                   command_stress,  false},
};
// clang-format on

}  // namespace

std::span<const Command> commands() { return table; }

const Command* find_command(std::string_view name) {
  for (const Command& command : table)
    if (name == command.name) return &command;
  return nullptr;
}

std::string command_names(const char* last_separator, bool with_compilers) {
  std::vector<const char*> names;
  for (const Command& command : table)
    if (with_compilers || !command.is_compiler) names.push_back(command.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? last_separator : ", ", names[i]);
  return text;
}

std::string overview() {
  std::string text =
      "heddle finds the concurrency bugs of C and C++ programs that only show under a weak memory model.\n\n";
  const char* start = "usage:";
  for (const Command& command : table) {
    const std::string usage = fmt::format("heddle {} {}", command.name, command.arguments);
    text += fmt::format("{:<6} {:<39}  {}\n", start, usage, command.summary);
    start = "";
  }
  text += "       heddle --version\n";
  text += fmt::format("       {:<39}  {}\n\n", "heddle --help",
                      "'heddle test --help' lists the options of heddle test, and so on");
  return text +
         "A first bug:  heddle c++ -o prog prog.cpp && heddle test ./prog\n"
         "exit code: 0 no bug, 1 bug found, 2 wrong usage, 3 heddle could not test the program (it says why)\n";
}

}  // namespace heddle::cli
