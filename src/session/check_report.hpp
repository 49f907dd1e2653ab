// What a heddle::check has found. Its process, which has no symbols, is the parent of this one, and its channel is
// inherited.
#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::session {

struct CheckReport {
  int channel;         ///< its descriptor
  std::string folder;  ///< for traces
};

struct CheckReported {
  campaign::Subject subject;
  findings::Results results;
  Outcome unwritten;  ///< why there are no traces
};

Result<CheckReported> run(const CheckReport& task);

}  // namespace heddle::session
