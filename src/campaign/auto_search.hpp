// The exhaustive search that `auto` makes after its first round (strategies/search_budget.hpp), in a worker of its own,
// while the other workers wait for the second round. A shard makes no search: each shard would make the same one. What
// ends the search is no problem of the campaign: sampling continues, and meets what is worth a report.
#pragma once

#include <cstdint>
#include <string_view>

#include "campaign/settings.hpp"
#include "campaign/slot.hpp"
#include "findings/results.hpp"

namespace heddle::campaign {

class AutoSearch {
 public:
  explicit AutoSearch(const Settings& settings);

  /// Does the search come before the round that begins with this execution?
  bool is_due(std::uint64_t begin) const;
  /// Starts the worker for executions from `begin` on; `end` is the campaign's. The search is not due any more.
  void start(const Launch& launch, std::uint64_t begin, std::uint64_t end, Clock::time_point campaign_start);
  /// Another search is needed, which start() may start. Returns false if there is none.
  bool change(const findings::NeededSearch& needed);
  /// Whether the search has been started, or is not wanted.
  bool has_been() const { return !is_wanted_; }
  /// The search was made by the process that this campaign continues from.
  void skip() { is_wanted_ = false; }
  /// Ends the search that runs, if any, as if it had not been started: it is due again. The results of an earlier
  /// search, which turned out to need a parameter, count.
  void cancel();
  /// The strategy of the search, for a process that makes it.
  std::string_view strategy() const { return strategy_.view(); }
  std::string_view racy_sites() const { return racy_sites_.view(); }
  /// Returns false if it is no exhaustive search.
  bool set_strategy(std::string_view strategy, std::string_view racy_sites);
  /// The slot has a worker as long as the search runs.
  Slot& slot() { return slot_; }
  bool is_running() const { return slot_.worker != nullptr; }
  /// What the worker, which has ended, has done.
  findings::Search results();

 private:
  const Settings& settings_;
  bool is_wanted_;
  run::Text strategy_;
  run::Text racy_sites_{};
  Slot slot_;
};

}  // namespace heddle::campaign
