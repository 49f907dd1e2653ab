#include "engine/worker/check_run.hpp"

#include <cstdio>

#include "models/descriptor.hpp"

namespace heddle::engine {

using channel::Failure;
using strategies::Outcome;
using strategies::SearchStage;

namespace {
// Output of executions without findings is discarded every so many executions: looking for it costs a system call.
constexpr std::uint64_t executions_between_cuts = 1024;
// If this many executions were all cut off by a limit, the others would be, too.
constexpr std::uint64_t few_executions = 10;
}  // namespace

// ---- executions -------------------------------------------------------------------------------------------------

bool CheckExecutor::begin(std::uint64_t number) {
  if (executor_.begin(number)) return true;
  judge_.end_search();
  return false;
}

void CheckExecutor::execute_begun(std::uint64_t number) {
  Outcome outcome = executor_.make(number);
  if (judge_.accepts(outcome)) {
    executor_.count(number, outcome);
    FindingSink& findings = engine_.findings();
    if (findings.has_new_findings() && !engine_.execution().timed_out())  // that would take as long again
      repeat_for_output(number);
    else if (findings.has_findings())
      learning_.count_news(number, 0, findings.publish({}, engine_.decider().recorder(), learning_.portfolio()));
    executor_.leave_races();
    judge_.begin_again_after_race();
  }
  process_.reset();
}

void CheckExecutor::repeat_for_output(std::uint64_t number) {
  Decider& decider = engine_.decider();
  trace::Recorder& original = *decider.recorder();
  const auto decisions = arenas_.session->create_array<std::uint8_t>(original.size());
  original.copy_to(decisions.data());
  trace::Replayer replayer(decisions);
  trace::Recorder recorder(replayer, arenas_.recording);

  process_.reset();
  process_.discard_output();
  decider.use(recorder);
  decider.set_recorder(&recorder);
  recorder.begin_execution(number);
  process_.run(number);
  if (replayer.diverged_at() || !engine_.findings().has_new_findings())
    process_.fail_as_nondeterministic("an execution with a finding did not do the same when it was repeated");
  else
    learning_.count_news(number, 0,
                         engine_.findings().publish(process_.take_output(), &recorder, learning_.portfolio()));
  process_.discard_output();
  decider.use(original);
  decider.set_recorder(&original);
}

void CheckExecutor::add_graph(std::uint64_t number) {
  if (ledger_.add_graph(ledger_.last_graph(), number, engine_.findings().found_bug()))
    learning_.count_news(number, 1, 0);
}

// ---- the search of `auto` ---------------------------------------------------------------------------------------

bool CheckSearch::is_due(std::uint64_t number) const {
  const SearchStage stage = strategies::search_stage(number);
  if (stage <= last_stage_ || (stage == SearchStage::long_search && (is_finished_ || ledger_.buggy() != 0)))
    return false;
  const strategies::Portfolio* portfolio = learning_.portfolio();
  return portfolio != nullptr && !portfolio->scope().only() && channel_.request.run.time_model == run::TimeModel::free;
}

std::optional<strategies::StrategySpecification> CheckSearch::other_search(std::string_view text) {
  const channel::Progress& progress = channel_.progress;
  if (progress.failure.load(std::memory_order_relaxed) != Failure::other_search) return {};
  const auto broken = progress.broken_assumption.load(std::memory_order_relaxed);
  if (broken != channel::SearchAssumption::ordered_sites)
    return strategies::search_with(text, channel::parameter_of(broken));
  channel_.request.run.racy_sites = progress.needed_sites;
  strategies::SpecificationError error;
  return strategies::parse_strategy(text, error);
}

std::uint64_t CheckSearch::run(std::uint64_t number) {
  last_stage_ = strategies::search_stage(number);
  channel::Request& request = channel_.request;
  const Method sampling = methods_.current();
  const Learning::Learner learner = learning_.pause();
  const std::uint64_t deadline = request.deadline, now = monotonic_now();
  if (deadline > now) request.deadline = now + (deadline - now) / strategies::search_share_of_time;

  const std::uint64_t left = request.end_execution == ~std::uint64_t{0} ? 0 : request.end_execution - number;
  strategies::SpecificationText search;
  const models::ModelDescriptor& model = models::model_named(request.run.model.view());
  std::snprintf(search.text, sizeof search.text, "%s", strategies::search_of_auto(model.has_store_buffers));
  for (bool begins = true; begins;) {
    ledger_.forgive_failure();
    channel_.progress.proof_gaps.store(0, std::memory_order_relaxed);
    strategies::SearchPace pace(last_stage_, strategies::most_search_runs(left));
    if (methods_.make(search.text) && methods_.current().exploration != nullptr)
      number = search_.search(number, pace, search.text,
                              [this](std::uint64_t execution) { executor_.execute_begun(execution); });
    const auto other = other_search(search.text);
    begins = other.has_value();
    if (begins) search = other->to_text();
  }
  is_finished_ = channel_.progress.search_finished.load(std::memory_order_relaxed) != 0;
  // What the search cannot do, sampling can.
  request.run.racy_sites.assign("");
  ledger_.forgive_failure();
  methods_.forget_search();
  request.deadline = deadline;
  learning_.resume(learner);
  methods_.use(sampling);
  return number;
}

// ---- the campaign -----------------------------------------------------------------------------------------------

void CheckRun::run() {
  const std::uint64_t first = channel_.request.first_execution;
  learning_.begin_alone(first);
  for (std::uint64_t number = first; !ledger_.should_stop(number); ++number) {
    if (search_.is_due(number)) {
      number = search_.run(number);
      if (is_over_after_search(number)) break;
    }
    learning_.begin_execution(number);
    if (!executor_.begin(number)) break;
    aftermath_.forget_races();
    executor_.execute_begun(number);
    if (ledger_.has_failed() && begin_other_search()) {
      number = first - 1;
      continue;
    }
    if (ledger_.has_failed() || executor_.is_last() || reaches_limits_only()) break;
    if (methods_.current().exploration == nullptr) executor_.add_graph(number);
    aftermath_.explore(number);
    if (ledger_.is_stopped_by_bug()) break;
    if (number % executions_between_cuts == 0) executor_.discard_output();
  }
  executor_.discard_output();
}

bool CheckRun::is_over_after_search(std::uint64_t number) const {
  const channel::Progress& progress = channel_.progress;
  const bool is_proved =
      progress.search_finished.load(std::memory_order_relaxed) != 0 && progress.proof_gaps.load() == 0;
  return is_proved || ledger_.is_stopped_by_bug() || ledger_.should_stop(number);
}

bool CheckRun::reaches_limits_only() const {
  return !methods_.current().is_search() && ledger_.executions() >= few_executions && ledger_.are_all_cut_off();
}

bool CheckRun::begin_other_search() {
  run::Text& strategy = channel_.request.run.strategy;
  const auto other = search_.other_search(strategy.view());
  if (!other || !strategy.assign(other->to_text().text)) return false;
  ledger_.forgive_failure();
  ledger_.forget_counts();
  return methods_.make(strategy.view());
}

}  // namespace heddle::engine
