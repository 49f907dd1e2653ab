// heddle::check: executions of a body in the process that asked for them. Every execution starts from the memory as it
// was at the call: the program's writable segments, the caller's thread-local storage, its heap, and its stack. So it
// is with the call's return, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/worker/aftermath_run.hpp"
#include "engine/worker/search_run.hpp"

namespace heddle::engine {

/// Makes its executions. What one prints is not looked at until one has a finding. That one is then repeated from its
/// decisions, which brings its output, and shows that the finding can be replayed.
class CheckExecutor {
 public:
  CheckExecutor(Engine& engine, WorkerArenas& arenas, ProgramProcess& process, Ledger& ledger, SearchJudge& judge,
                Learning& learning, Executor& executor)
      : engine_(engine), arenas_(arenas), process_(process), ledger_(ledger), judge_(judge), learning_(learning),
        executor_(executor) {}

  /// False: the strategy has no further execution.
  bool begin(std::uint64_t number);
  void execute_begun(std::uint64_t number);
  void add_graph(std::uint64_t number);
  /// What hangs once will hang again, a thousand times.
  bool is_last() const { return engine_.execution().timed_out() || judge_.is_lost_after_race(); }
  void discard_output() { process_.discard_output(); }

 private:
  void repeat_for_output(std::uint64_t number);

  Engine& engine_;
  WorkerArenas& arenas_;
  ProgramProcess& process_;
  Ledger& ledger_;
  SearchJudge& judge_;
  Learning& learning_;
  Executor& executor_;
};

/// The searches of `auto`, between two samples.
class CheckSearch {
 public:
  CheckSearch(channel::Channel& channel, Ledger& ledger, Methods& methods, Learning& learning, SearchRun& search,
              CheckExecutor& executor)
      : channel_(channel), ledger_(ledger), methods_(methods), learning_(learning), search_(search),
        executor_(executor) {}

  /// Does a search come before this execution?
  bool is_due(std::uint64_t number) const;
  /// Returns the number of the execution that comes next.
  std::uint64_t run(std::uint64_t number);
  /// If this search cannot continue, and another one can, that one.
  std::optional<strategies::StrategySpecification> other_search(std::string_view text);

 private:
  channel::Channel& channel_;
  Ledger& ledger_;
  Methods& methods_;
  Learning& learning_;
  SearchRun& search_;
  CheckExecutor& executor_;
  strategies::SearchStage last_stage_ = strategies::SearchStage::none;
  bool is_finished_ = false;  ///< the last search has explored everything
};

class CheckRun {
 public:
  CheckRun(channel::Channel& channel, Ledger& ledger, Methods& methods, Learning& learning, AftermathRun& aftermath,
           CheckSearch& search, CheckExecutor& executor)
      : channel_(channel), ledger_(ledger), methods_(methods), learning_(learning), aftermath_(aftermath),
        search_(search), executor_(executor) {}

  void run();

 private:
  bool is_over_after_search(std::uint64_t number) const;
  bool begin_other_search();
  bool reaches_limits_only() const;

  channel::Channel& channel_;
  Ledger& ledger_;
  Methods& methods_;
  Learning& learning_;
  AftermathRun& aftermath_;
  CheckSearch& search_;
  CheckExecutor& executor_;
};

}  // namespace heddle::engine
