#include "engine/worker/method.hpp"

#include "base/hash.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/memory/racy_sites.hpp"
#include "models/descriptor.hpp"
#include "trace/decision_list.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::Mode;

namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20, gigabyte = std::size_t{1} << 30;
// Of an execution with more decisions, the next one repeats nothing.
constexpr std::size_t most_kept_decisions = std::size_t{1} << 14;
// For the emulation of a loop's iteration, see machine/equivalence.hpp: a few dozen states of some kilobytes each.
constexpr std::size_t retry_memory = megabyte;
// For the emulation of all ways that code can go after an addition, and for what is kept of it.
constexpr std::size_t undoing_memory = 8 * megabyte;
// A run of a million events takes some 600 bytes for each of them, twice that while arrays grow.
constexpr std::size_t run_arena_size = 4 * gigabyte;

}  // namespace

bool Methods::make(std::string_view text) {
  const channel::Request& request = channel_.request;
  const auto fail = [&](Failure failure, const char* why) {
    ledger_.fail(failure, why);
    return false;
  };
  base::Arena& arena = *arenas_.session;
  Method method;
  method.model = models::make_model(request.run.model.view(), models::options_of(request.run), arena);
  if (method.model == nullptr) return fail(Failure::fault, "there is no such memory model");
  strategies::SpecificationError error;
  const auto specification = strategies::parse_strategy(text, error);
  if (!specification) return fail(Failure::fault, error.text);
  const bool is_exhaustive = specification->is_exhaustive();
  if (is_exhaustive && request.run.time_model != run::TimeModel::free)
    return fail(
        Failure::unsupported,
        "strict time is for sampling: the exhaustive search explores every order, so a wait may end at any time");
  if (is_exhaustive && !engine_.retry_loops().has_memory()) {  // replays have to stop threads where the search did
    engine_.retry_loops().set_memory(reserve_memory(retry_memory, retry_memory));
    engine_.undoing_loops().set_memory(reserve_memory(undoing_memory, undoing_memory));
  }
  const bool is_optimal = is_exhaustive && method.model->for_exploration() != nullptr;
  if (is_optimal) method.model = method.model->for_exploration();

  strategies::Strategy* strategy = make_strategy(*specification, is_optimal, method);
  if (strategy == nullptr) return fail(Failure::fault, "the trace's decisions cannot be read");
  if (request.has_cycles != 0) {
    method.cycle_watch = arena.create<CycleWatch>(watched_execution(), cycles(),
                                                  base::hash_text(request.run.model.view()), arena, arenas_.execution);
    if (strategies::CycleFollower* follower = strategy->facets().cycle_follower)
      follower->set_cycles(cycles(), *method.cycle_watch);
  }
  if (request.recording == channel::Recording::log) {
    DebugState* const debug = process_.hooks().debug;
    if (debug != nullptr) debug->target = request.debug_step;
    strategy = method.execution_watch =
        arena.create<ExecutionWatch>(*strategy,
                                     ExecutionWatch::Parts{engine_.graph(), engine_.threads(), engine_.atomics(),
                                                           engine_.objects(), engine_.stacks(), heap_, modules_},
                                     arenas_.execution, request.debug_step != 0 ? debug : nullptr);
  }
  method.strategy = arena.create<trace::Recorder>(*strategy, arenas_.recording);
  const strategies::SearchBounds bounds = is_exhaustive ? specification->bounds() : strategies::SearchBounds{};
  const bool records_accesses = request.has_cycles != 0 || request.recording == channel::Recording::accesses;
  method.policy = make_policy(request.run, {.bounds = is_exhaustive ? &bounds : nullptr,
                                            .is_optimal = is_optimal,
                                            .is_explored = method.exploration != nullptr,
                                            .shows_program = request.in_process != 0 || request.run.show_output,
                                            .records_accesses = records_accesses,
                                            .records_everything = method.execution_watch != nullptr,
                                            .racy_sites = parse_racy_sites(request.run.racy_sites.view(), arena)});
  if (method.policy.repeats_executions) method.strategy->keep_many(arena, most_kept_decisions);
  heap_.set_limit(request.run.max_memory);
  use(method);
  return true;
}

void Methods::use(const Method& method) {
  current_ = method;
  engine_.plain().set_watch(method.execution_watch);
  engine_.decider().set_recorder(method.strategy);
  engine_.configure(method.policy, *method.model, *method.strategy, channel_.request.run.seed);
  escapes_taken_ = engine_.decider().escapes();
}

/// Null: the decisions of a trace cannot be read.
strategies::Strategy* Methods::make_strategy(const strategies::StrategySpecification& specification, bool is_optimal,
                                             Method& method) {
  if (channel_.request.mode != Mode::test) return make_recorded(method);
  if (specification.is_exhaustive()) return make_search(specification.bounds(), is_optimal, method);
  strategies::Strategy* strategy =
      strategies::make_strategy(specification, channel_.request.run.seed, *arenas_.session);
  if (strategies::GraphReader* reader = strategy->facets().graph_reader) reader->set_graph(engine_.graph());
  return strategy;
}

strategies::Strategy* Methods::make_recorded(Method& method) {
  const channel::Request& request = channel_.request;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(channel_.at(channel::decisions_offset));
  const std::span<const std::uint8_t> decisions{bytes, request.decisions_size};
  base::Arena& arena = *arenas_.session;
  if (!trace::is_decision_list(decisions)) return nullptr;
  if (request.mode == Mode::replay) return method.replayer = arena.create<trace::Replayer>(decisions);
  shared_arena_ = base::Arena({channel_.at(channel::recordings_offset), channel::recordings_capacity});
  method.minimizer = arena.create<trace::Minimizer>(
      decisions, trace::Minimizer::Budget{request.most_tries, request.most_tried_events}, arena, shared_arena_);
  method.minimizer->set_graph(engine_.graph());
  return method.minimizer;
}

strategies::Strategy* Methods::make_search(const strategies::SearchBounds& bounds, bool is_optimal, Method& method) {
  if (search_run_arena_.capacity() == 0) {
    search_run_arena_ = base::Arena(reserve_memory(run_arena_size, gigabyte / 64));
    search_arena_ = base::Arena(reserve_memory(16 * gigabyte, gigabyte / 16));
  }
  search_run_arena_.reset();
  search_arena_.reset();
  engine_.set_search_arena(search_run_arena_);
  base::Arena& arena = *arenas_.session;
  if (!is_optimal)
    return method.enumeration =
               arena.create<exploration::Enumeration>(engine_.graph(), engine_.model_state(), search_arena_);
  method.exploration = arena.create<exploration::Exploration>(engine_.graph(), search_run_arena_, search_arena_);
  method.exploration->set_waiting_steps(engine_.search_parking());
  const bool is_sequential = models::model_named(channel_.request.run.model.view()).is_sequential;
  const auto orders =
      is_sequential ? exploration::ExecutionOrders::sequential : exploration::ExecutionOrders::program_and_reads;
  method.exploration->set_preemption_bound(bounds.switches, orders);
  return method.exploration;
}

std::uint64_t Methods::take_escapes() {
  if (!engine_.decider().calls().escapes) return 0;
  const std::uint64_t before = escapes_taken_;
  escapes_taken_ = engine_.decider().escapes();
  return escapes_taken_ - before;
}

strategies::CycleTable& Methods::cycles() const {
  static_assert(sizeof(strategies::CycleTable) <= channel::cycles_capacity);
  return *reinterpret_cast<strategies::CycleTable*>(channel_.at(channel::cycles_offset));
}

std::uint64_t Methods::execution_after(std::uint64_t number) const {
  return current_.cycle_watch != nullptr ? cycles().next_execution(number) : number + channel_.request.stride;
}

WatchedExecution Methods::watched_execution() const {
  return {engine_.graph(), engine_.threads(), engine_.atomics(), engine_.stacks(), modules_, engine_.findings()};
}

void Methods::write_recordings(std::uint64_t number) {
  if (current_.cycle_watch != nullptr) current_.cycle_watch->judge(number);
  if (channel_.request.recording == channel::Recording::accesses)
    trace_accesses(watched_execution(), channel_, number, arenas_.execution);
  if (current_.execution_watch != nullptr) current_.execution_watch->write(channel_);
}

}  // namespace heddle::engine
