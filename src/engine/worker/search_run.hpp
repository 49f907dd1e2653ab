// An exhaustive search of `auto`, as long as its budget lasts (strategies/search_budget.hpp): in a worker of its own,
// or in the middle of a heddle::check.
#pragma once

#include <cstdint>

#include "engine/worker/executor.hpp"
#include "engine/worker/isolation_choice.hpp"
#include "strategies/search_budget.hpp"

namespace heddle::engine {

class SearchRun {
 public:
  SearchRun(const channel::Request& request, Engine& engine, ProgramProcess& process, Ledger& ledger, Methods& methods,
            SearchJudge& judge, Executor& executor)
      : request_(request), engine_(engine), process_(process), ledger_(ledger), methods_(methods), judge_(judge),
        executor_(executor) {}

  /// In a worker of its own.
  void run(IsolationChoice& isolation);
  /// The search of the current method, from execution `number` on. `name` is the search as --strategy takes it.
  /// `execute` makes an execution that has begun. Returns the number behind its last execution.
  template <typename Execute>
  std::uint64_t search(std::uint64_t number, strategies::SearchPace& pace, const char* name, Execute execute);

 private:
  const channel::Request& request_;
  Engine& engine_;
  ProgramProcess& process_;
  Ledger& ledger_;
  Methods& methods_;
  SearchJudge& judge_;
  Executor& executor_;
};

template <typename Execute>
std::uint64_t SearchRun::search(std::uint64_t number, strategies::SearchPace& pace, const char* name, Execute execute) {
  judge_.begin_search(true);
  engine_.findings().set_strategy_name(name);
  while (!ledger_.is_cancelled(number) && !ledger_.is_late()) {
    if (!executor_.begin(number)) {
      judge_.end_search();
      break;
    }
    const std::uint64_t before = ledger_.executions();
    execute(number);
    if (judge_.has_given_up() || ledger_.has_failed()) break;
    number += ledger_.executions() - before;
    if (ledger_.is_stopped_by_bug()) break;
    const strategies::RunEffort effort{engine_.events_executed(), engine_.plain_steps_executed()};
    if (!pace.continues(effort, methods_.current().exploration->explored())) break;
  }
  engine_.findings().set_strategy_name(nullptr);
  judge_.begin_search(false);
  return number;
}

}  // namespace heddle::engine
