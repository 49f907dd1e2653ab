// The options of `heddle test`: from the command line, or from HEDDLE_OPTIONS when the program was started alone.
#pragma once

#include <string>
#include <vector>

#include "campaign/settings.hpp"
#include "trace/result.hpp"

namespace heddle::cli {

struct TestOptions {
  campaign::Settings settings;  ///< but for `program`, which is not looked at yet
  std::string json;             ///< empty: none
  std::string out = "heddle-out";
  bool quiet = false;
  std::string help;  ///< not empty: print this, and do nothing else
};

Result<TestOptions> parse_test_options(std::vector<std::string> arguments);

/// "runs=500:strategy=random:stop_on_bug=1" to {"--runs", "500", "--strategy", "random", "--stop-on-bug"}.
///
/// Items are separated by colons, commas or spaces. A strategy has parameters behind a colon of its own
/// (strategy=pct:d=3,k=10): what follows it without a space and is no option's name belongs to it. Quotes keep
/// anything together.
Result<std::vector<std::string>> arguments_from_environment(const std::string& text);

}  // namespace heddle::cli
