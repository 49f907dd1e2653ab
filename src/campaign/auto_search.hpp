// The exhaustive searches of `auto` (strategies/search_budget.hpp), each in a worker of its own, while the other
// workers wait for the next round. A shard makes no search: each shard would make the same one. What ends the search is
// no problem of the campaign: sampling continues, and meets what is worth a report.
#pragma once

#include <cstdint>
#include <string_view>

#include "campaign/settings.hpp"
#include "campaign/slot.hpp"
#include "findings/results.hpp"
#include "strategies/search_budget.hpp"

namespace heddle::campaign {

class AutoSearch {
 public:
  explicit AutoSearch(const Settings& settings);

  /// Does a search come before the round that begins with this execution?
  bool is_due(std::uint64_t begin, bool has_bugs) const;
  /// Starts the worker for executions from `begin` on; `end` is the campaign's. The search is not due any more.
  void start(strategies::SearchStage stage, const Launch& launch, std::uint64_t begin, std::uint64_t end,
             Clock::time_point campaign_start);
  /// Another search is needed, which start() may start. Returns false if there is none.
  bool change(const findings::NeededSearch& needed);
  /// The last search that has been started.
  strategies::SearchStage stage() const { return stage_; }
  /// The searches up to this one were made by the process that this campaign continues from.
  void skip(strategies::SearchStage stage) { stage_ = stage_before_ = stage; }
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
  const bool is_wanted_;
  strategies::SearchStage stage_ = strategies::SearchStage::none;
  strategies::SearchStage stage_before_ = strategies::SearchStage::none;
  run::Text strategy_;
  run::Text racy_sites_{};
  Slot slot_;
};

}  // namespace heddle::campaign
