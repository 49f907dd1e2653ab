// Some executions of a program, to find out something about it: whether another model shows a finding, whether other
// memory orders remove it.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "session/time_limit.hpp"

namespace heddle::session {

/// Executions of the subject by `auto`, in one worker. They read and write no corpus, and follow no cycle.
struct Sample {
  campaign::Subject subject;  ///< its `run` says under which model, and with which memory orders
  std::uint64_t executions = 0;
  run::Isolation isolation = run::Isolation::automatic;
  bool stops_at_bug = false;
  TimeLimit limit = {};
};

struct Sampled {
  campaign::Subject subject;  ///< as it was run: the traces of the findings refer to it
  findings::Results results;
};

Result<Sampled> run(const Sample& sample);

}  // namespace heddle::session
