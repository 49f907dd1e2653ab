// The commands of heddle: one row each. The help page, the manual pages and the completions of shells list them from
// here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

struct Command {
  const char* name;
  const char* arguments;  ///< as the usage line shows them
  const char* summary;    ///< a phrase without a full stop
  int (*run)(std::vector<std::string> arguments);
  bool is_compiler;         ///< passes its arguments to a compiler; it has no options of its own to list
  bool uses_ranks = false;  ///< under MPI, all ranks take part; otherwise rank 0 alone runs it
};

std::span<const Command> commands();
/// Null if there is no such command.
const Command* find_command(std::string_view name);

/// "test, verify and replay": the names of all commands, or of those that list their options.
std::string command_names(const char* last_separator, bool with_compilers);

/// What `heddle --help` prints.
std::string overview();

}  // namespace heddle::cli
