#include "engine/engine.hpp"

#include <cstdio>
#include <utility>

namespace heddle::engine {

using strategies::Outcome;

namespace {
// Freed blocks are handed out again at once in every second execution only: re-use is what ABA bugs need, and what
// hides a use after free.
constexpr std::uint64_t late_reuse_odds = 2;
// --spurious rare: waits may be over for no reason in one of so many executions. There the strategy decides as with
// --spurious free, so a bug that needs several wake-ups is found, too.
constexpr std::uint64_t spurious_execution_odds = 4;
// What executions leave behind in the arena of a graph that is cut again and again. More would not stay in the cache.
constexpr std::size_t most_kept_graphs = std::size_t{1} << 18;
}  // namespace

Engine::Engine(base::Arena& forever, base::Arena& execution_arena, Heap& heap, const Modules& modules,
               channel::Channel* channel)
    : execution_arena_(execution_arena), heap_(heap), modules_(modules), channel_(channel), graph_(execution_arena),
      shadow_(forever), races_(shadow_, execution_arena), stacks_(forever), site_orders_(stacks_), end_(channel),
      threads_(forever, execution_arena, modules, end_), mappings_(execution_arena),
      names_(heap, modules, threads_.threads(), threads_.by_place()), stack_walker_(threads_, modules),
      findings_(execution_arena, heap, modules, stacks_, *this, channel), execution_parts_{execution_arena, graph_,
                                                                                           threads_,        decider_,
                                                                                           races_,          findings_,
                                                                                           transcriber_,    end_},
      program_parts_{heap, modules, stacks_, names_, stack_walker_}, graph_storage_(graph_),
      scheduler_(forever, execution_parts_, program_parts_, compactor_, atomics_, descriptors_),
      log_(execution_parts_, scheduler_, atomics_, channel),
      objects_(forever, execution_arena, graph_, names_, races_, transcriber_),
      atomics_(forever, execution_parts_, program_parts_, scheduler_, log_, plain_, site_orders_),
      plain_(forever, execution_parts_, program_parts_, scheduler_, log_, atomics_, objects_),
      compactor_(graph_, graph_storage_, threads_, objects_, atomics_, log_, signals_),
      twins_(graph_, heap, threads_, decider_, end_), local_state_(modules),
      transcriber_(forever, execution_parts_, program_parts_, local_state_, retry_loops_),
      retry_loops_(execution_arena, graph_, modules, heap, local_state_),
      undoing_loops_(graph_, modules, heap, local_state_),
      spin_parking_(graph_, threads_, scheduler_, plain_, local_state_, dice_),
      search_parking_(execution_parts_, program_parts_, scheduler_, local_state_, retry_loops_, undoing_loops_, twins_),
      direct_executor_(execution_arena, graph_, threads_, scheduler_, log_, atomics_),
      graph_executor_(execution_parts_, modules, scheduler_, search_parking_, log_, atomics_, objects_),
      lock_order_(execution_arena, findings_), held_locks_(execution_arena, threads_, stacks_, lock_order_, findings_),
      sync_(execution_arena, objects_, held_locks_, threads_, scheduler_, log_),
      annotated_locks_(execution_arena, objects_, threads_, held_locks_, sync_, findings_),
      descriptor_uses_(execution_arena, graph_, modules, races_, stacks_, threads_, findings_),
      file_uses_(execution_arena, graph_, races_, threads_, findings_),
      descriptors_(execution_arena, objects_, threads_, scheduler_, log_, descriptor_uses_),
      keys_(execution_arena, threads_), signals_(execution_arena, graph_, threads_, scheduler_, log_, findings_, end_),
      thread_calls_(execution_parts_, keys_, sync_, twins_, scheduler_, log_, signals_),
      timers_(execution_arena, threads_, scheduler_, sync_, signals_, thread_calls_, end_),
      fibers_(execution_arena, graph_, threads_, scheduler_, log_, findings_, end_),
      transcript_run_(execution_arena, graph_, threads_, decider_, log_, transcriber_),
      client_calls_(forever, execution_parts_) {
  scheduler_.set_interrupts(signals_);
  signals_.set_files(descriptors_);
  if (channel != nullptr) shadow_.set_pulse(channel->progress.current_memory);
}

void Engine::configure(const ExecutionPolicy& policy, const models::MemoryModel& model, strategies::Strategy& strategy,
                       std::uint64_t seed) {
  policy_ = policy;
  chose_any_value_ = false;
  heap_.forget_missed_reuse();
  findings_.forget_gaps();
  client_calls_.forget_histories();
  findings_.set_racy_sites(policy.racy_sites);
  decider_.use(strategy);
  dice_.set_seed(seed);
  threads_.configure(policy);
  lock_order_.configure(policy.lock_order);
  search_parking_.configure(policy.bounds);
  graph_executor_.configure(policy.bounds, policy.spurious_wake_ups != run::SpuriousWakeUps::none);
  if (policy.keeps_objects_in_graph) {
    scheduler_.configure(policy, search_parking_, model.stores_are_immediate());
    sync_.configure(graph_executor_);
    descriptors_.configure(policy, graph_executor_);
  } else {
    scheduler_.configure(policy, spin_parking_, model.stores_are_immediate());
    sync_.configure(direct_executor_);
    descriptors_.configure(policy, direct_executor_);
  }
  log_.configure(policy, model);
  graph_storage_.configure(policy);
  compactor_.configure(policy, model);
  atomics_.configure(policy);
  plain_.configure(policy);
  thread_calls_.configure(policy);
  signals_.configure(policy);
  file_uses_.configure(policy);
  timers_.configure(policy);
  fibers_.configure(policy);
  transcriber_.configure(policy.transcribes);
}

bool Engine::can_repeat() const {
  return graph_.can_be_cut() && !transcriber_.wants_beginning() && decider_.recorder()->can_keep() &&
         graph_.arena().used() < most_kept_graphs;
}

graph::EventId Engine::end_of(std::span<const exploration::Step> steps) {
  return steps.empty() ? graph::no_event : graph::EventId{graph::number(steps.back().id) + 1};
}

std::uint32_t Engine::decisions_until(std::span<const exploration::Step> steps) const {
  return steps.empty() ? 0 : graph_.history_of(steps.back().id).note.decisions;
}

/// Whether waits of the execution that begins may be over for no reason.
bool Engine::wakes_spuriously() const {
  switch (policy_.spurious_wake_ups) {
    case run::SpuriousWakeUps::none: return false;
    case run::SpuriousWakeUps::rare: return dice_.is_spurious_execution(spurious_execution_odds);
    case run::SpuriousWakeUps::free: return true;
  }
  __builtin_unreachable();
}

void Engine::begin(std::uint64_t number) {
  const std::span<const exploration::Step> repeated = std::exchange(repeated_, {});
  const std::uint32_t decisions = decisions_until(repeated);
  execution_arena_.reset();
  ++execution_;
  transcriber_.begin_execution(repeated.size());
  graph_storage_.begin_execution(end_of(repeated), GraphStorage::Kept::repeated);
  compactor_.begin_execution();
  log_.begin_execution();
  threads_.begin_execution();
  mappings_.begin_execution();
  scheduler_.begin_execution();
  races_.begin_execution(execution_);
  atomics_.begin_execution(execution_);
  objects_.begin_execution(execution_);
  graph_executor_.begin_execution();
  lock_order_.begin_execution();
  held_locks_.begin_execution();
  keys_.begin_execution();
  signals_.begin_execution();
  timers_.begin_execution();
  fibers_.begin_execution();
  descriptors_.begin_execution();
  descriptor_uses_.begin_execution();
  file_uses_.begin_execution();
  client_calls_.begin_execution();
  findings_.begin_execution(number);
  end_.begin_execution();
  dice_.begin_execution(policy_.repeats_random_numbers ? 0 : number);
  const Reuse reuse = dice_.first_below(late_reuse_odds) == 0 ? Reuse::late : Reuse::at_once;
  plain_.begin_execution(policy_.reuses_memory ? reuse : Reuse::never);
  direct_executor_.begin_execution(wakes_spuriously());
  decider_.begin_execution();
  decider_.repeat(repeated, decisions);
  if (channel_ != nullptr) channel_->progress.current_execution.store(number, std::memory_order_relaxed);
}

Outcome Engine::run(std::uint64_t number, void* (*program_main)(void*), void* argument) {
  begin(number);
  ProgramThread& main = thread_calls_.begin_main(program_main, argument);
  threads_.set_current(&main);
  running_ = this;
  Fiber::switch_between(end_.root(), main.fiber);
  running_ = announced_in_ = nullptr;
  threads_.set_current(nullptr);
  end_.finish_execution();
  transcriber_.end_execution();
  atomics_.end_execution();
  decider_.end_execution(end_.outcome());
  return end_.outcome();
}

std::optional<Outcome> Engine::run_from_transcript(std::uint64_t number) {
  transcriber_.begin_execution(repeated_.size());
  if (transcriber_.state() == nullptr) return std::nullopt;
  const std::span<const exploration::Step> kept = std::exchange(repeated_, {});
  const std::uint32_t decisions = decisions_until(kept);
  execution_arena_.reset();
  ++execution_;
  graph_storage_.begin_execution(end_of(kept), GraphStorage::Kept::continued);
  compactor_.begin_execution();
  if (kept.empty()) graph_.add_thread(threads_.main_slot().id, threads_.main_slot().name);
  log_.begin_execution();
  log_.count_kept_events(kept.size());
  findings_.begin_execution(number);
  decider_.begin_execution();
  decider_.keep(decisions);
  if (channel_ != nullptr) channel_->progress.current_execution.store(number, std::memory_order_relaxed);
  const std::optional<Outcome> outcome = transcript_run_.run();
  if (outcome) decider_.end_execution(*outcome);
  return outcome;
}

/// A search explores events only. Samples of accesses that cannot be events still let other threads run in between.
bool Engine::announce_racy_access(const AtomicAccess& access, bool is_write) {
  if (access.address % access.size != 0 || !atomics_.may_be_event(access.address, access.size)) {
    if (policy_.samples_reads) plain_.schedule_racy_access(is_write, access.site);
    return false;
  }
  if (!is_write) {
    if (atomics_.begin_volatile_load(access, Operation::plain_read)) wait_for_announced_access();
    return true;
  }
  if (policy_.compares_local_state) plain_.record_write_for_program(access.address, access.size);
  atomics_.begin_volatile_store(access, Operation::plain_write);
  wait_for_announced_access();
  return true;
}

Engine* Engine::end_announced_access() {
  if (announced_in_ == nullptr) return nullptr;
  running_ = announced_in_;
  announced_in_ = nullptr;
  running_->atomics_.end_volatile_access();
  return running_;
}

channel::ProofGaps Engine::proof_gaps() const {
  using enum channel::ProofGap;
  channel::ProofGaps gaps = findings_.gaps();
  if (heap_.has_missed_reuse()) gaps.add(memory_reuse);
  if (scheduler_.time().was_read()) gaps.add(clocks);
  if (dice_.differs()) gaps.add(random_numbers);
  if (chose_any_value_) gaps.add(undetermined_values);
  if (search_parking_.has_met_bound()) gaps.add(time_outs);
  return gaps;
}

void Engine::let_others_run(std::uint64_t site) {
  findings_.withhold_proof(channel::ProofGap::polling);
  scheduler_.preempt(site);
}

void Engine::warn(const char* text) {
  if (channel_ == nullptr || channel_->progress.warning[0] != '\0') return;
  std::snprintf(channel_->progress.warning, sizeof channel_->progress.warning, "%s", text);
}

void Engine::announce_clients(std::uint64_t count, const char* bounds) {
  if (channel_ == nullptr || channel_->progress.clients.load(std::memory_order_relaxed) != 0) return;
  std::snprintf(channel_->progress.client_bounds, sizeof channel_->progress.client_bounds, "%s", bounds);
  channel_->progress.clients.store(count, std::memory_order_release);
}

std::uint32_t Engine::choose_value(std::uint32_t options, std::uint64_t site) {
  scheduler_.schedule_point(graph::EventKind::fence, graph::MemoryOrder::plain, Operation::any_value,
                            graph::no_location, site);
  const std::uint32_t chosen = scheduler_.choose_number(strategies::ChoiceKind::value, options);
  graph::Event& event =
      log_.begin_event(graph::EventKind::fence, graph::MemoryOrder::plain, Operation::any_value, site);
  event.read = chosen;
  log_.record();
  scheduler_.mark_progress();
  return chosen;
}

}  // namespace heddle::engine
