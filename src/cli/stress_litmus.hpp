// heddle stress --litmus: litmus tests on the real machine, or their assembly.
#pragma once

#include <string>
#include <vector>

#include "stress/litmus_session.hpp"

namespace heddle::cli {

struct StressLitmusOptions {
  stress::LitmusSettings settings;
  std::vector<std::string> paths;
  std::string json;
  bool compares_assembly = false;  ///< instead of running the tests
  bool is_quiet = false;
};

/// Returns the exit code of the process.
int run_stress_litmus(const StressLitmusOptions& options);

}  // namespace heddle::cli
