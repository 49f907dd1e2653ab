#include "engine/worker/executor.hpp"

#include <cstring>

#include "channel/process_end.hpp"

namespace heddle::engine {

using channel::Failure;
using strategies::Outcome;

bool Executor::begin(std::uint64_t number) {
  const Method& method = methods_.current();
  // The graph may be that of another execution: heddle::check repeats executions for their output.
  if (method.exploration != nullptr && engine_.executions() == last_ && engine_.can_repeat())
    method.exploration->allow_keeping();
  if (!method.strategy->begin_execution(number)) return false;
  if (method.policy.repeats_executions) engine_.repeat(method.exploration->kept_steps());
  return true;
}

Outcome Executor::make(std::uint64_t number) {
  const Method& method = methods_.current();
  std::optional<Outcome> outcome;
  if (method.policy.transcribes) outcome = engine_.run_from_transcript(number);
  if (outcome) {
    process_.skip();
  } else {
    if (method.policy.transcribes) engine_.repeat(method.exploration->kept_steps());
    outcome = process_.run(number);
  }
  last_ = engine_.executions();
  return *outcome;
}

void Executor::execute(std::uint64_t number) {
  process_.discard_output();
  if (!begin(number)) {
    channel_.progress.search_finished.store(1, std::memory_order_relaxed);
    ledger_.finish();
  }
  execute_begun(number);
}

void Executor::execute_begun(std::uint64_t number) {
  const run::RunSpecification& run = channel_.request.run;
  Outcome outcome = make(number);
  if (!judge_.accepts(outcome)) return;
  if (run.stdin_path.empty() && process_.hooks().read_empty_stdin())
    ledger_.fail(Failure::unsupported,
                 "the program reads standard input, which is empty under heddle; give it with --stdin FILE");
  methods_.write_recordings(number);
  FindingSink& findings = engine_.findings();
  const auto output = findings.has_findings() || run.show_output ? process_.take_output() : std::span<const char>{};
  const bool is_drawn = is_graph_wanted(outcome);
  if (is_drawn || (run.show_output && !output.empty())) findings.report_output();
  findings.publish(output, engine_.decider().recorder(), learning_.portfolio());
  count(number, outcome);
  leave_races();
  judge_.begin_again_after_race();
}

/// --print-graphs, --dot: whether the driver needs the decisions of the execution. The driver keeps the first ones of
/// all tasks.
bool Executor::is_graph_wanted(Outcome outcome) {
  const run::RunSpecification& run = channel_.request.run;
  if (channel_.request.has_tasks == 0 || outcome != Outcome::completed) return false;
  return graphs_of_task_++ < run.print_graphs || (!run.dot.empty() && run.dot_graphs == run::DotGraphs::all);
}

void Executor::count(std::uint64_t number, Outcome outcome) {
  const Method& method = methods_.current();
  // The exhaustive search meets no graph twice, so the hash of the graph is not needed.
  if (method.exploration == nullptr) {
    const std::uint64_t found = engine_.graph_hash(), hash = found == 0 ? 1 : found;
    ledger_.set_last_graph(hash);
    learning_.report_to_corpus(number, hash);
  } else {
    judge_.count_graph(number, outcome);
  }
  ledger_.count_escapes(methods_.take_escapes());
  if (method.is_search()) channel_.progress.proof_gaps.fetch_or(engine_.proof_gaps().bits(), std::memory_order_relaxed);
  const bool is_buggy = engine_.findings().found_bug();
  learning_.count_execution(number, is_buggy);
  ledger_.count_execution(outcome, is_buggy, engine_.events_executed());
}

void Executor::count_death(std::uint64_t number, int status) {
  const channel::ProcessEndFinding end(status, number);
  const bool is_finding = end.is_finding(channel_.request.run.exit_status);
  if (is_finding) engine_.findings().publish_process_end(number, end, learning_.portfolio());
  learning_.count_execution(number, is_finding);
  // heddle did not see another end.
  ledger_.count_execution(is_finding ? Outcome::completed : Outcome::cut_off, is_finding, 0);
}

void Executor::leave_races() {
  channel::Aftermath& aftermath = channel_.progress.aftermath;
  const std::span<const std::uint64_t> sites = engine_.findings().sites_of_races();
  aftermath.sites_count = sites.size();
  if (!sites.empty()) std::memcpy(aftermath.sites, sites.data(), sites.size_bytes());
  aftermath.events = engine_.events_executed();
}

}  // namespace heddle::engine
