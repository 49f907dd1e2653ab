#include "engine/operations/execution_policy.hpp"

#include <algorithm>

#include "base/fast_paths.hpp"

namespace heddle::engine {

namespace {

// Replays that make a story keep the graph whole up to this many events. Below the number at which compacting first
// limits what a model offers, so that the replay is offered what the execution was offered.
constexpr std::size_t most_logged_events = 150'000;
// A loop that polls memory which is an event only after a race need not end.
constexpr std::uint64_t most_events_after_race = 20'000;

void bound_silently(ExecutionPolicy& policy, std::uint64_t most) {
  policy.max_events = most;
  policy.stops_silently_at_bound = true;
}

void make_search_policy(ExecutionPolicy& policy, const PolicyNeeds& needs) {
  policy.bounds = *needs.bounds;
  if (!needs.is_optimal) policy.bounds.readers = 1;  // more steps are more orders to try
  if (policy.bounds.events != 0 && policy.bounds.events <= policy.max_events)
    bound_silently(policy, policy.bounds.events);
  policy.keeps_objects_in_graph = true;
  policy.inspects_every_operation = true;
  policy.compares_local_state = true;
  policy.clock_per_thread = true;
  policy.repeats_random_numbers = true;
  policy.reuses_memory = false;
  policy.fails_weak_exchanges = false;
  policy.samples_reads = false;
  policy.compacts = false;
  policy.keeps_program_order = true;
  policy.repeats_executions = base::fast_paths && policy.bounds.symmetry == 0 && needs.is_optimal && needs.is_explored;
  policy.transcribes = policy.repeats_executions && policy.bounds.native == 0 && policy.bounds.loop == 0 &&
                       !policy.check_leaks && !needs.shows_program && policy.racy_sites.empty();
  policy.offers_threads_before_exit = true;
  policy.goes_on_after_finding = needs.is_explored;
  policy.any_values = static_cast<std::uint32_t>(policy.bounds.values);
  if (policy.racy_sites.empty()) return;
  // The parts of a search that look into the program's code expect that plain accesses are no events.
  policy.bounds.undone = 1;
  if (policy.max_events > most_events_after_race) bound_silently(policy, most_events_after_race);
}

}  // namespace

ExecutionPolicy make_policy(const run::RunSpecification& run, const PolicyNeeds& needs) {
  ExecutionPolicy policy;
  policy.max_events = run.max_events;
  policy.check_leaks = run.leaks;
  policy.lock_order = run.lock_order;
  policy.any_exit_status = run.exit_status == run::ExitStatus::any;
  policy.strict_time = run.time_model == run::TimeModel::strict;
  policy.spurious_wake_ups = run.spurious;
  policy.volatile_is_atomic = run.volatiles == run::VolatileAccesses::relaxed;
  policy.racy_sites = needs.racy_sites;
  policy.keeps_accesses = needs.records_accesses || needs.records_everything;
  policy.compacts = !policy.strict_time && !needs.records_accesses;  // Scheduler::time_mark() numbers events
  if (needs.records_everything) policy.first_compaction_at = most_logged_events;
  if (needs.bounds != nullptr) make_search_policy(policy, needs);
  return policy;
}

ExecutionPolicy with_most_events(ExecutionPolicy policy, std::uint64_t most) {
  policy.max_events = most;
  return policy;
}

ExecutionPolicy aftermath_policy(const ExecutionPolicy& sampling, std::uint64_t max_events,
                                 std::span<const std::uint64_t> racy_sites) {
  ExecutionPolicy policy = sampling;
  bound_silently(policy, std::min(sampling.max_events, max_events));
  policy.racy_sites = racy_sites;
  return policy;
}

}  // namespace heddle::engine
