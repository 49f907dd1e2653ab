// The simplest execution that shows the same finding, checked by a replay in another process.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "findings/results.hpp"
#include "session/replay.hpp"

namespace heddle::session {

/// How much may be tried.
struct MinimisationBudget {
  std::uint64_t tries;
  std::uint64_t events;
};
/// For a finding of a campaign: about a tenth of a second.
inline constexpr MinimisationBudget campaign_budget{1'000, 200'000};
/// For heddle minimize: about ten times as much.
inline constexpr MinimisationBudget command_budget{50'000, 5'000'000};

struct Minimise {
  Replay replay;
  std::uint64_t finding_key = 0;
  MinimisationBudget budget = campaign_budget;
};

struct Minimised {
  findings::Finding finding;  ///< of the minimised execution, with its decisions
  story::DecodedLog log;      ///< of its replay
  channel::Minimized counts;
};

/// A problem says why there is no simpler execution, and what to do.
Result<Minimised> run(const Minimise& task);

struct Simplest {
  Replay replay;
  channel::Minimized counts;
};
/// The first part of run(): the simplest execution, which has not been repeated.
Result<Simplest> find_simplest(const Minimise& task);

}  // namespace heddle::session
