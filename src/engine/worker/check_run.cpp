// heddle::check: executions of a body in the process that asked for them. Every execution starts from the memory as it
// was at the call: the program's writable segments, the caller's thread-local storage, its heap, and its stack. So it
// is with the call's return, too.
//
// What an execution prints is not looked at until one has a finding. That one is then repeated from its decisions,
// which brings its output, and shows that the finding can be replayed.
#include <unistd.h>

#include <cstdio>

#include "engine/isolation/address_space.hpp"
#include "engine/isolation/thread_pointer.hpp"
#include "engine/worker/worker.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::Isolation;
using channel::Mode;
using strategies::Outcome;

namespace {
constexpr std::size_t check_arena_size = std::size_t{16} << 30;
constexpr std::size_t least_check_arena_size = std::size_t{64} << 20;
// Output of executions without findings is discarded every so many executions: looking for it costs a system call.
constexpr std::uint64_t executions_between_cuts = 1024;
// If this many executions were all cut off by a limit, the others would be, too.
constexpr std::uint64_t few_executions = 10;
}  // namespace

void Worker::run_check(const CheckBody& body, const ProgramHooks& hooks) {
  begin_check(body, hooks);
  if (!configure(channel_.request.run.strategy.view())) return;
  publish_modules();
  snapshot_.take(modules_, thread_pointer(), check_arena_);
  snapshot_.save(body.callers_stack, check_arena_);
  heap_.take_snapshot(snapshot_, check_arena_);
  library_heap_.take_snapshot(snapshot_, check_arena_);
  channel_.progress.state.store(channel::State::running, std::memory_order_release);
  if (channel_.request.mode != Mode::test) {
    channel_.request.mode == Mode::replay ? run_replay() : run_minimization();
    finish();
  }
  watch_memory();
  run_check_executions();
  snapshot_.unwatch();
}

void Worker::begin_check(const CheckBody& body, const ProgramHooks& hooks) {
  if (check_arena_.capacity() == 0)
    check_arena_ = base::Arena(reserve_memory(check_arena_size, least_check_arena_size));
  check_arena_.reset();
  recording_arena_.reset();
  session_arena_ = &check_arena_;
  process_ = this_process();
  for (trace::Recorder*& strategy : aftermath_strategies_) strategy = nullptr;
  snapshot_.forget();
  graphs_.clear();
  searched_graphs_.clear();
  hooks_ = hooks;
  engine_.names().set_callers_stack(body.callers_stack);
}

void Worker::run_check_executions() {
  const channel::Request& request = channel_.request;
  auto& progress = channel_.progress;
  progress.isolation_used.store(Isolation::reset, std::memory_order_relaxed);
  begin_learning(request.first_execution);
  for (std::uint64_t number = request.first_execution; !should_stop(number); ++number) {
    if (is_search_due(number)) {
      number = run_check_search(number);
      const bool is_proved =
          progress.search_finished.load(std::memory_order_relaxed) != 0 && progress.proof_gaps.load() == 0;
      const bool has_bug = progress.buggy.load(std::memory_order_relaxed) != 0;
      if (is_proved || (request.run.stop_on_bug && has_bug) || should_stop(number)) break;
    }
    learn_if_round_is_over(number);
    if (!begin_execution(number)) {
      progress.search_finished.store(1, std::memory_order_relaxed);
      look_for_unseen_code();
      break;
    }
    forget_races();
    execute_check(number);
    if (has_failed() && begin_other_search()) {
      number = request.first_execution - 1;
      continue;
    }
    // What hangs once will hang again, a thousand times.
    if (has_failed() || engine_.execution().timed_out() || is_lost_after_race_) break;
    const std::uint64_t cut_off = progress.cut_off.load(std::memory_order_relaxed);
    if (!method_.is_search && cut_off >= few_executions &&
        cut_off == progress.executions.load(std::memory_order_relaxed))
      break;
    if (method_.exploration == nullptr &&
        add_graph(progress.last_graph.load(std::memory_order_relaxed), number, engine_.findings().found_bug()))
      count_news(number, 1, 0);
    explore_aftermath(number);
    if (request.run.stop_on_bug && progress.buggy.load(std::memory_order_relaxed) != 0) break;
    if (number % executions_between_cuts == 0) prepare_output();
  }
  prepare_output();
}

/// The search that the program needs if this one cannot go on, and another one could.
std::optional<strategies::StrategySpecification> Worker::other_search(std::string_view text) {
  channel::Progress& progress = channel_.progress;
  if (progress.failure.load(std::memory_order_relaxed) != Failure::other_search) return {};
  const auto broken = progress.broken_assumption.load(std::memory_order_relaxed);
  if (broken == channel::SearchAssumption::ordered_sites) {
    channel_.request.run.racy_sites = progress.needed_sites;
    strategies::SpecificationError error;
    return strategies::parse_strategy(text, error);
  }
  return strategies::search_with(text, channel::parameter_of(broken));
}

/// Begins that search.
bool Worker::begin_other_search() {
  channel::Progress& progress = channel_.progress;
  const auto other = other_search(channel_.request.run.strategy.view());
  if (!other || !channel_.request.run.strategy.assign(other->to_text().text)) return false;
  progress.failure.store(Failure::none, std::memory_order_relaxed);
  progress.failure_text[0] = '\0';
  progress.proof_gaps.store(0, std::memory_order_relaxed);
  for (std::atomic<std::uint64_t>* count : {&progress.executions, &progress.buggy, &progress.blocked, &progress.cut_off,
                                            &progress.events, &progress.abandoned})
    count->store(0, std::memory_order_relaxed);
  return configure(channel_.request.run.strategy.view());
}

void Worker::execute_check(std::uint64_t number) {
  Outcome outcome = engine_.run(number, hooks_.run_main, hooks_.argument);
  search_execution_ = engine_.executions();
  hooks_.flush_output();
  const bool is_explored = !has_failed() && was_explored();
  if (!is_explored && !has_failed()) count_unexplored();
  if (is_explored) outcome = outcome_within_bound(outcome);
  if (is_explored && !is_cut_off_search(outcome)) {
    book(number, outcome);
    if (engine_.findings().has_new_findings() && !engine_.execution().timed_out())  // that would take as long again
      repeat_for_output(number);
    else if (engine_.findings().has_findings())
      count_news(number, 0, engine_.findings().publish({}, engine_.decider().recorder(), portfolio_));
    leave_races();
    begin_again_after_race();
  }
  reset();
}

void Worker::repeat_for_output(std::uint64_t number) {
  trace::Recorder* original = engine_.decider().recorder();
  const auto decisions = check_arena_.create_array<std::uint8_t>(original->size());
  original->copy_to(decisions.data());
  trace::Replayer replayer(decisions);
  trace::Recorder recorder(replayer, recording_arena_);

  reset();
  prepare_output();
  engine_.decider().use(recorder);
  engine_.decider().set_recorder(&recorder);
  recorder.begin_execution(number);
  engine_.run(number, hooks_.run_main, hooks_.argument);
  hooks_.flush_output();
  if (replayer.diverged_at() || !engine_.findings().has_new_findings()) {
    char text[768], influence[384];
    hooks_.describe_influence(influence, sizeof influence, false);
    std::snprintf(text, sizeof text, "an execution with a finding did not do the same when it was repeated; %s",
                  influence);
    fail(Failure::nondeterminism, text);
  } else
    count_news(number, 0, engine_.findings().publish(take_output(), engine_.decider().recorder(), portfolio_));
  prepare_output();
  engine_.decider().use(*method_.strategy);
  engine_.decider().set_recorder(original);
}

}  // namespace heddle::engine
