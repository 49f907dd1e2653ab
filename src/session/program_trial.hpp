// One program with other memory orders: is there a bug?
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "run/specification.hpp"
#include "session/order_trials.hpp"

namespace heddle::session {

struct ProgramTrial {
  const campaign::Subject& subject;  ///< with the orders in `run`
  std::size_t number = 0;            ///< of the program
  TrialBudget budget = {};
  std::span<const std::uint64_t> ignored = {};  ///< keys of findings that do not count
  const orders::SiteList& sites;
  const SiteDimensions* dimensions = nullptr;  ///< for witnesses; null: none are made
  std::string out = {};                        ///< the folder for traces; empty: none are written
};

/// Whether an exhaustive search takes such a run.
bool takes_search(const run::RunSpecification& run);
/// Runs an exhaustive search. If the program breaks an assumption of the search, runs one that can do without.
Result<findings::Results> run_search(campaign::Settings& settings);

/// Adds what the program has shown to the trial, and to the number of executions.
void run(const ProgramTrial& task, Trial& trial, std::uint64_t& executions);

}  // namespace heddle::session
