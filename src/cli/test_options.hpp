// The command lines of heddle test and heddle verify: options, the program, and its arguments.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "run/fields.hpp"

namespace heddle::cli {

struct TestOptions {
  campaign::Subject subject;  ///< `program` is not set yet
  campaign::Shard shard;
};

/// `command` is run::test or run::verify. If the first argument is --from-program, the user started an instrumented
/// program by itself: the program and its arguments follow, and the options are in HEDDLE_OPTIONS.
Result<TestOptions> parse_test_options(run::Use command, std::vector<std::string> arguments);

}  // namespace heddle::cli
