#include "engine/worker/sampling_run.hpp"

namespace heddle::engine {

using channel::Isolation;

void SamplingRun::run(IsolationChoice& isolation) {
  std::uint64_t number = request_.first_execution;
  const std::uint64_t first = number;
  learning_.begin_with_driver();
  const auto may_begin = [&] { return learning_.await_round(number) && learning_.await_gate(number); };
  if (!may_begin()) return;
  // Choosing the isolation takes two executions. The first one that counts comes before them, in a child process.
  bool goes_on = true;
  if (request_.run.isolation == Isolation::automatic) {
    process_.set_isolation(Isolation::fork);
    goes_on = execute(number);
    number = methods_.execution_after(number);
  }
  process_.use_isolation(isolation.choose(first));
  for (; goes_on && may_begin() && !ledger_.should_stop(number); number = methods_.execution_after(number))
    goes_on = execute(number);
}

bool SamplingRun::execute(std::uint64_t number) {
  ledger_.set_last_graph(0);
  const std::uint64_t buggy = ledger_.buggy();
  aftermath_.forget_races();
  if (process_.isolation() == Isolation::fork) {
    execute_in_child(number);
  } else {
    executor_.execute(number);
    process_.reset();
  }
  if (ledger_.has_failed()) ledger_.finish();
  aftermath_.explore(number);
  if (request_.stride > 1) learning_.report_first_end();
  if (ledger_.last_graph() != 0) ledger_.add_graph(ledger_.last_graph(), number, ledger_.buggy() != buggy);
  return !ledger_.is_stopped_by_bug();
}

void SamplingRun::execute_in_child(std::uint64_t number) {
  const std::uint64_t before = ledger_.executions();
  executor_.announce(number);
  const std::optional<int> status = process_.run_in_copy([&] { executor_.execute(number); });
  if (!status) ledger_.fail(channel::Failure::unsupported, "the system does not allow another process: fork failed");
  if (ledger_.has_failed()) ledger_.finish();
  if (ledger_.executions() == before) executor_.count_death(number, *status);
}

}  // namespace heddle::engine
