// Which memory model, strategy and policy the executions of a worker have: what Worker::configure() makes of the
// request.
#include "base/hash.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/memory/racy_sites.hpp"
#include "engine/recording/cycle_watch.hpp"
#include "engine/recording/execution_watch.hpp"
#include "engine/worker/worker.hpp"
#include "run/specification.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::Mode;

namespace {

// Replays that make a story keep the graph whole up to this many events. Below the number at which compacting first
// limits what a model offers, so that the replay is offered what the execution was offered.
constexpr std::size_t most_logged_events = 150'000;
// Of an execution with more decisions, the next one repeats nothing.
constexpr std::size_t most_kept_decisions = std::size_t{1} << 14;
// A loop that polls memory which is an event only after a race need not end.
constexpr std::uint64_t most_events_after_race = 20'000;
// For the emulation of a loop's iteration, see machine/equivalence.hpp: a few dozen states of some kilobytes each.
constexpr std::size_t retry_memory = std::size_t{1} << 20;
// For the emulation of all ways that code can go after an addition, and for what is kept of it.
constexpr std::size_t undoing_memory = std::size_t{8} << 20;

}  // namespace

strategies::CycleTable& Worker::cycles() const {
  static_assert(sizeof(strategies::CycleTable) <= channel::cycles_capacity);
  return *reinterpret_cast<strategies::CycleTable*>(channel_.at(channel::cycles_offset));
}

bool Worker::configure(std::string_view strategy_text) {
  const channel::Request& request = channel_.request;
  base::Arena& arena = *session_arena_;
  replayer_ = nullptr;
  method_ = {};
  models::ModelOptions options;
  if (request.run.release_sequence == run::ReleaseSequence::c11)
    options.release_sequence = models::ReleaseSequence::c11;
  if (request.run.rmw == run::RmwBarrier::full) options.rmw = models::RmwBarrier::full;
  const models::MemoryModel* model = models::make_model(request.run.model.view(), options, arena);
  if (model == nullptr) {
    fail(Failure::fault, "there is no such memory model");
    return false;
  }
  strategies::SpecificationError error;
  const auto specification = strategies::parse_strategy(strategy_text, error);
  if (!specification) {
    fail(Failure::fault, error.text);
    return false;
  }
  const bool exhaustive = specification->is_exhaustive();
  if (exhaustive && request.run.time_model != run::TimeModel::free) {
    fail(Failure::unsupported,
         "strict time is for sampling: the exhaustive search explores every order, so a wait may end at any time");
    return false;
  }
  if (exhaustive && !engine_.retry_loops().has_memory()) {  // replays have to stop threads where the search did
    engine_.retry_loops().set_memory(reserve_memory(retry_memory, retry_memory));
    engine_.undoing_loops().set_memory(reserve_memory(undoing_memory, undoing_memory));
  }
  const bool has_optimal_search = exhaustive && model->for_exploration() != nullptr;
  if (has_optimal_search) model = model->for_exploration();
  method_.model = model;
  strategies::Strategy* strategy = nullptr;
  if (request.mode != Mode::test) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(channel_.at(channel::decisions_offset));
    const std::span<const std::uint8_t> decisions{bytes, request.decisions_size};
    if (!trace::is_decision_list(decisions)) {
      fail(Failure::fault, "the trace's decisions cannot be read");
      return false;
    }
    if (request.mode == Mode::minimize)
      strategy = &make_minimizer(decisions, arena);
    else
      strategy = replayer_ = arena.create<trace::Replayer>(decisions);
  } else if (exhaustive) {
    strategy = &make_search(has_optimal_search, specification->bounds(), arena);
  } else {
    strategy = strategies::make_strategy(*specification, request.run.seed, arena);
    strategy->set_graph(engine_.graph());
  }
  cycle_watch_ = nullptr;
  if (request.has_cycles != 0) {
    strategies::CycleTable& table = cycles();
    cycle_watch_ = arena.create<CycleWatch>(watched_execution(), table, base::hash_text(request.run.model.view()),
                                            arena, execution_arena_);
    strategy->set_cycles(table, *cycle_watch_);
  }
  execution_watch_ = nullptr;
  if (request.recording == channel::Recording::log) {
    execution_watch_ =
        arena.create<ExecutionWatch>(*strategy,
                                     ExecutionWatch::Parts{engine_.graph(), engine_.threads(), engine_.atomics(),
                                                           engine_.objects(), engine_.stacks(), heap_, modules_},
                                     execution_arena_, request.debug_step != 0 ? hooks_.debug : nullptr);
    if (hooks_.debug != nullptr) hooks_.debug->target = request.debug_step;
    strategy = execution_watch_;
  }
  engine_.plain().set_watch(execution_watch_);
  method_.strategy = arena.create<trace::Recorder>(*strategy, recording_arena_);
  method_.check = arena.create<trace::NondeterminismCheck>(*method_.strategy, recording_arena_);
  method_.policy = exhaustive ? search_policy(request.run.max_events, request.run.leaks, specification->bounds())
                              : sampling_policy(request.run.max_events, request.run.leaks,
                                                request.run.time_model == run::TimeModel::strict);
  if (!has_optimal_search) method_.policy.bounds.readers = 1;  // more steps are more orders to try
  method_.policy.racy_sites = parse_racy_sites(request.run.racy_sites.view(), arena);
  if (exhaustive && !method_.policy.racy_sites.empty()) {
    // The parts of a search that look into the program's code expect that plain accesses are no events.
    method_.policy.transcribes = false;
    method_.policy.bounds.undone = 1;
    if (method_.policy.max_events > most_events_after_race) {
      method_.policy.max_events = most_events_after_race;
      method_.policy.stops_silently_at_bound = true;
    }
  }
  method_.policy.spurious_wake_ups = request.run.spurious;
  method_.policy.volatile_is_atomic = request.run.volatiles == run::VolatileAccesses::relaxed;
  if (request.has_cycles != 0 || request.recording == channel::Recording::accesses) {
    method_.policy.keeps_accesses = true;
    method_.policy.compacts = false;
  }
  if (execution_watch_ != nullptr) {
    method_.policy.keeps_accesses = true;
    method_.policy.first_compaction_at = most_logged_events;
  }
  method_.policy.lock_order = request.run.lock_order;
  method_.policy.any_exit_status = request.run.exit_status == run::ExitStatus::any;
  if (method_.exploration == nullptr) method_.policy.repeats_executions = false;
  method_.policy.transcribes &= method_.policy.repeats_executions && request.in_process == 0 &&
                                request.mode == Mode::test && !request.run.show_output;
  if (method_.policy.repeats_executions) method_.strategy->keep_many(arena, most_kept_decisions);
  heap_.set_limit(request.run.max_memory);
  use_method();
  return true;
}

/// From now on, executions use method_.
void Worker::use_method() {
  engine_.decider().set_recorder(method_.strategy);
  escapes_booked_ = method_.strategy->escapes();
  engine_.configure(method_.policy, *method_.model, *method_.strategy, channel_.request.run.seed);
}

}  // namespace heddle::engine
