#include "cli/debugger.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/installation.hpp"

namespace heddle::cli {

namespace {

[[noreturn]] void execute(std::vector<std::string> words, const char* what) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  ::_exit(
      report_problem(test_problem(fmt::format("cannot start {}: {}; is it installed?", what, std::strerror(errno)))));
}

}  // namespace

int run_under_gdb(session::Debug task) {
  const Installation installation = find_installation();
  if (!installation.gdb_script)
    return report_problem(test_problem("gdb/heddle.py is missing: build or install heddle completely"));
  task.heddle = installation.executable;
  task.gdb_script = *installation.gdb_script;
  auto command = session::prepare(task);
  if (!command) return report_problem(command.problem());
  ::setenv("HEDDLE_GDB_SESSION", command->session_file.c_str(), 1);
  execute(std::move(command->words), "gdb");
}

int command_debug_start(const std::vector<std::string>& arguments) {
  std::uint64_t step = 0;
  if (arguments.size() < 3 ||
      std::from_chars(arguments[0].data(), arguments[0].data() + arguments[0].size(), step).ec != std::errc{})
    return report_problem(
        usage_problem("debug-start is an internal command of heddle replay --gdb; it is not for users"));
  const auto channel = session::open_debug_channel(arguments[1], arguments[2], step);
  if (!channel) return report_problem(channel.problem());
  ::unsetenv("HEDDLE_GDB_SESSION");
  execute({arguments.begin() + 2, arguments.end()}, "the program");
}

}  // namespace heddle::cli
