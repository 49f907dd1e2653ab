#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"

namespace heddle::cli {

int report_problem(const Problem& problem) {
  fmt::print(stderr, "heddle: {}\n", problem.text);
  return static_cast<int>(problem.exit_code);
}

}  // namespace heddle::cli
