// The subcommands; each lives in command_<name>.cpp and returns the exit code of the process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace heddle::cli {

enum class Language { c, cxx };

/// `arguments` are those after the subcommand's name.
int command_compile(Language language, const std::vector<std::string>& arguments);
/// heddle-gcc-ar, heddle-llvm-ranlib and the like: calls this tool of the compiler. CMake looks for it beside
/// heddle-c++, by a name with the same beginning, if link-time optimisation is on.
int command_archiver(const std::string& tool, const std::vector<std::string>& arguments);
int command_test(std::vector<std::string> arguments);
int command_verify(std::vector<std::string> arguments);
int command_merge(std::vector<std::string> arguments);
int command_results(std::vector<std::string> arguments);
int command_replay(std::vector<std::string> arguments);
int command_minimize(std::vector<std::string> arguments);
int command_show(std::vector<std::string> arguments);
int command_predict(std::vector<std::string> arguments);
int command_orders(std::vector<std::string> arguments);
int command_fix(std::vector<std::string> arguments);
int command_weaken(std::vector<std::string> arguments);
int command_litmus(std::vector<std::string> arguments);
int command_stress(std::vector<std::string> arguments);
/// Started by libheddle: prints the report on what a heddle::check left in its channel.
int command_check_report(const std::vector<std::string>& arguments);

/// Started by gdb: the program of a trace with a channel of its own. The arguments are the step at which a debugger
/// stops, the trace, the program and its arguments.
int command_debug_start(const std::vector<std::string>& arguments);

/// heddle help --strategies: the strategies and their parameters as JSON, for scripts.
int command_strategies();
int command_strategy_table();
/// heddle help --compile-options gcc|clang: the options that instrument a compilation, one a line, for build systems.
int command_compile_options(const std::string& compiler);
/// heddle help --completion bash|zsh|fish: a completion file for this shell.
int command_completion(const std::string& shell);

/// A parser returns this if the user asked for a help text, which is printed on standard output.
inline Problem help_page(std::string text) { return {ExitCode::no_bug, std::move(text)}; }
/// Prints "heddle: ..." on standard error, or a help_page() on standard output. Returns the exit code.
int report_problem(const Problem& problem);

}  // namespace heddle::cli
