// What differs between executions that a strategy samples and executions that a search enumerates. The parts of the
// engine ask for one property each, by what it means; only make_policy() knows which mode wants what.
#pragma once

#include <cstdint>
#include <span>

#include "run/specification.hpp"
#include "strategies/exhaustive.hpp"

namespace heddle::engine {

/// Many fields: all that is decided once for the executions of a request.
struct ExecutionPolicy {
  std::uint64_t max_events = 1000000;
  bool check_leaks = false;
  run::LockOrder lock_order = run::LockOrder::report;
  /// An exit status other than 0 is no finding.
  bool any_exit_status = false;
  strategies::SearchBounds bounds;

  /// The states of synchronisation objects are part of the graph: GraphExecutor and SearchParking are used, otherwise
  /// DirectExecutor and SpinParking.
  bool keeps_objects_in_graph = false;
  /// The scheduler must look at every operation before it runs: to count visits, to recognise loops that wait, or to
  /// keep equal threads apart.
  bool inspects_every_operation = false;
  /// Loops that wait are recognised by comparing registers and stacks. Every plain write and every allocation then
  /// counts as progress, and entry points wipe what they leave on the stack (abi/instrumentation/scrub.hpp).
  bool compares_local_state = false;
  /// Every thread has a virtual clock of its own, a function of what the thread did. A common clock would depend on the
  /// order of execution, which a search does not keep.
  bool clock_per_thread = false;
  /// run::TimeModel::strict.
  bool strict_time = false;
  run::SpuriousWakeUps spurious_wake_ups = run::SpuriousWakeUps::free;
  /// run::VolatileAccesses::relaxed.
  bool volatile_is_atomic = false;
  /// Plain accesses at these places are events: they have raced in other executions, so their order matters. Sorted;
  /// Modules::canonical().
  std::span<const std::uint64_t> racy_sites;
  /// The n-th execution draws the same numbers for the program as every other one: a search returns to what it saw.
  bool repeats_random_numbers = false;
  /// Freed blocks may be handed out again. A search must not: addresses would depend on the order of execution.
  bool reuses_memory = true;
  /// A weak compare-exchange may fail for no reason, any number of times. Under a search a loop around one could then
  /// fail for ever; SearchBounds::weak says how often it may.
  bool fails_weak_exchanges = true;
  /// Reads are sampled: they may be drawn without a list of candidates, and a thread that spins on a stale value reads
  /// something newer if it can (SpinDetector). A search must be offered every candidate.
  bool samples_reads = true;
  /// Events that no thread can depend on any more may be dropped from the graph (Compactor).
  bool compacts = true;
  /// The number of events from which on that is done. What is in use should fit into the processor's cache: a megabyte
  /// or so. Counted in events, not in bytes, so that an execution is compacted at the same moments whenever it runs.
  std::size_t first_compaction_at = 8192;
  /// heddle predict: Atomics keeps where each access was made (Atomics::accesses).
  bool keeps_accesses = false;
  /// An execution may repeat the first steps of the one before it (graph::ExecutionGraph::cut).
  bool repeats_executions = false;
  /// What threads do is written down, and executions are made from that where it is possible (TranscriptRun).
  bool transcribes = false;
  /// The graph keeps the list of events of each thread from the beginning.
  bool keeps_program_order = false;
  /// At exit, threads that can still run are offered to the strategy first.
  bool offers_threads_before_exit = false;
  /// Before a finding ends the program, other threads do what they could do before that. What they write may be read
  /// instead of what was read so far, so a search without it would leave out executions.
  bool goes_on_after_finding = false;
  /// Reaching max_events cuts the execution off without a finding: the user asked for this bound.
  bool stops_silently_at_bound = false;
  /// How many values __VERIFIER_nondet_* and its like choose from.
  std::uint32_t any_values = 16;
};

/// What a policy depends on besides the user's choices.
struct PolicyNeeds {
  const strategies::SearchBounds* bounds = nullptr;  ///< of the exhaustive search; null: executions are sampled
  bool is_optimal = false;                           ///< the search is over graphs, not over orders of execution
  bool is_explored = false;                          ///< this process makes that search; false: it replays
  bool shows_program = false;                        ///< the program has to run in every execution
  bool records_accesses = false;
  bool records_everything = false;
  std::span<const std::uint64_t> racy_sites;
};
ExecutionPolicy make_policy(const run::RunSpecification& run, const PolicyNeeds& needs);
/// The policy of executions with at most so many events.
ExecutionPolicy with_most_events(ExecutionPolicy policy, std::uint64_t most);
/// The policy of executions that look for what follows a race at these places (engine/worker/aftermath_run.hpp).
ExecutionPolicy aftermath_policy(const ExecutionPolicy& sampling, std::uint64_t max_events,
                                 std::span<const std::uint64_t> racy_sites);

}  // namespace heddle::engine
