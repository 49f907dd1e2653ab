// An exhaustive search in a worker: was an execution of use to it, can it continue, and is its end a proof?
#pragma once

#include <cstdint>

#include "channel/channel.hpp"
#include "engine/engine.hpp"
#include "engine/worker/method.hpp"

namespace heddle::engine {

class SearchJudge {
 public:
  SearchJudge(channel::Channel& channel, Engine& engine, const Modules& modules, WorkerArenas& arenas,
              ProgramProcess& process, Ledger& ledger, const Methods& methods)
      : channel_(channel), engine_(engine), modules_(modules), arenas_(arenas), process_(process), ledger_(ledger),
        methods_(methods) {}

  /// A search begins. One with a budget is that of `auto` (strategies/search_budget.hpp), and gives up when an
  /// execution reaches a limit: sampling meets the limit, too, and reports it.
  void begin_search(bool has_budget) {
    has_budget_ = has_budget;
    is_lost_after_race_ = has_given_up_ = false;
  }

  /// False: the worker has failed, or the search is lost.
  bool can_continue();
  /// False: the search has no use for the execution, which then counts as nothing but an execution.
  bool accepts(strategies::Outcome& outcome);
  void count_graph(std::uint64_t number, strategies::Outcome outcome);
  /// A search that has met a race begins again, and explores the orders of the accesses that raced.
  void begin_again_after_race();

  /// A search cannot continue after a race: what a thread does depends on accesses that are no events.
  bool is_lost_after_race() const { return is_lost_after_race_; }
  bool has_given_up() const { return has_given_up_ || is_lost_after_race_; }
  /// The strategy has no further execution to offer.
  void end_search();
  /// Withholds the proof if code without instrumentation takes part.
  void look_for_unseen_code();
  bool find_unseen_code();

 private:
  void count_unexplored();

  channel::Channel& channel_;
  Engine& engine_;
  const Modules& modules_;
  WorkerArenas& arenas_;
  ProgramProcess& process_;
  Ledger& ledger_;
  const Methods& methods_;
  bool has_looked_for_unseen_code_ = false;
  bool has_budget_ = false;
  bool has_given_up_ = false;
  bool is_lost_after_race_ = false;
};

}  // namespace heddle::engine
