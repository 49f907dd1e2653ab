#include <cstdio>
#include <string>

#include "cli/commands.hpp"
#include "report/text.hpp"

namespace heddle::cli {

int report_problem(const Problem& problem) {
  if (problem.exit_code == ExitCode::no_bug) {
    std::fputs(problem.text.c_str(), stdout);
    return 0;
  }
  // Names of files and the output of programs can hold anything. A standard error that cannot be written changes
  // nothing.
  const std::string text = report::printable(problem.text, report::Controls::escape);
  std::fprintf(stderr, "heddle: %s\n", text.c_str());
  return static_cast<int>(problem.exit_code);
}

}  // namespace heddle::cli
