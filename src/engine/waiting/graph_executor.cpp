#include "engine/waiting/graph_executor.hpp"

#include "machine/register_use.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;
using graph::Value;
using strategies::Choice;
using strategies::ChoiceKind;

StepResult GraphExecutor::perform(SyncObject& object, const Rule& rule, std::uint64_t site) {
  if (rule.step == &barrier_arrive && !orders_arrivals()) return arrive(object, rule, site);
  const bool has_parts = object.kind == SyncKind::rwlock && !object.prefers_writers && !orders_readers();
  if (has_parts) return perform_in_parts(object, rule, site);
  return perform_step(object, rule, site);
}

/// The step overwrites the state without a look at it.
StepResult GraphExecutor::perform_store(SyncObject& object, const Rule& rule, std::uint64_t site) {
  const Step& step = *rule.step;
  ProgramThread& self = threads_.current();
  was_used_ = true;
  self.pending_step = {&object, rule};
  parking_.begin_step();
  scheduler_.schedule_point(EventKind::store, step.order, step.operation, object.location, site);
  parking_.end_step();
  Event& event = log_.begin_event(EventKind::store, step.order, step.operation, site);
  event.location = object.location;
  ObjectState state{};
  step.change(state, rule);
  event.written = state.value;
  const EventId id = log_.record();
  self.pending_step.object = nullptr;
  scheduler_.mark_progress();
  return {true, 0, id};
}

StepResult GraphExecutor::perform_step(SyncObject& object, const Rule& given, std::uint64_t site) {
  if (given.step->stores_plainly) return perform_store(object, given, site);
  Rule rule = given;
  const Step& step = *rule.step;
  ProgramThread& self = threads_.current();
  const bool has_sleepers = object.kind == SyncKind::condition || object.kind == SyncKind::futex;
  if (has_sleepers && number(self.id) >= ObjectState::most_sleeper_bits)
    end_.unsupported("the exhaustive search knows condition variables and futexes for %u threads at most",
                     ObjectState::most_sleeper_bits);
  was_used_ = true;
  self.pending_step = {&object, rule};
  parking_.begin_step();
  scheduler_.schedule_point(EventKind::rmw, step.order, step.operation, object.location, site);
  parking_.end_step();

  Event change = log_.begin_event(EventKind::rmw, step.order, step.operation, site);
  change.location = object.location;
  Event look = change;
  look.kind = EventKind::load;
  look.failed_exchange =
      step.looks_plainly ? graph::FailedExchange::plain_look : graph::FailedExchange::weaker_than_release;
  const EventId source = decider_.is_repeating() ? graph_.event(graph_.next_repeated()).reads_from
                                                 : choose_write(decisive_writes(look, change, rule));
  ObjectState state{graph_.event(source).written};
  const Value before = state.value;
  const bool succeeded = rule.judge(state) != Effect::waits;
  Effect effect = rule.effect_on(state);
  if (effect == Effect::waits && rule.may_give_up && scheduler_.choose_number(ChoiceKind::value, 2) == 0) {
    rule.gives_up = true;
    effect = rule.effect_on(state);
  } else if (effect == Effect::changes && rule.may_give_up) {
    self.wakes_early = scheduler_.choose_number(ChoiceKind::value, 2) == 1;
  }
  if (effect == Effect::changes) {
    if (step.chooses_sleeper) rule.parameter = scheduler_.choose_number(ChoiceKind::value, state.sleepers());
    step.change(state, rule);
    change.reads_from = source;
    change.read = before;
    change.written = state.value;
    if (step.learns == Learns::exclusive_releases) change.synchronised = exclusive_release(source);
    graph_.begin_event() = change;
    const EventId event = log_.record(graph_.event(source).mo_position + 1);
    self.pending_step.object = nullptr;
    mark_change(object, step, before, state.value);
    return {succeeded, before, event};
  }
  look.reads_from = source;
  look.read = before;
  graph_.begin_event() = look;
  const EventId event = log_.record();
  self.pending_step.object = nullptr;
  if (effect == Effect::waits) block_for_good(object, rule);
  return {succeeded, before, event};
}

void GraphExecutor::mark_change(const SyncObject& object, const Step& step, Value before, Value after) {
  if (bounds_.undone == 0 && &step == &mutex_lock && before == 0) return scheduler_.mark_lock(object);
  if (bounds_.undone == 0 && &step == &mutex_unlock && after == 0) return scheduler_.mark_unlock(object);
  scheduler_.mark_progress();
}

StepResult GraphExecutor::wait_and_perform(SyncObject& object, const Rule& given, std::uint64_t site,
                                           Deadline deadline) {
  Rule rule = given;
  rule.gives_up = static_cast<bool>(deadline);
  return perform(object, rule, site);
}

/// The states that the step may find, oldest first. If it can continue, states that make it wait are left out: a thread
/// that waits on the newest state stands for them, and is met in another execution.
std::span<const EventId> GraphExecutor::decisive_writes(const Event& look, const Event& change, const Rule& rule) {
  const auto effect_at = [&](EventId write) { return rule.effect_on(ObjectState{graph_.event(write).written}); };
  candidates_.clear();
  log_.model_state().readable_writes(look, candidates_);
  const std::size_t looks = candidates_.size();
  log_.model_state().readable_writes(change, candidates_);
  const bool newest_waits = effect_at(candidates_[looks - 1]) == Effect::waits;
  base::ArenaVector<EventId> decisive;
  std::size_t l = 0, c = looks;
  while (l < looks || c < candidates_.size()) {
    const bool takes_look = c == candidates_.size() || (l < looks && graph_.event(candidates_[l]).mo_position <=
                                                                         graph_.event(candidates_[c]).mo_position);
    const EventId write = takes_look ? candidates_[l++] : candidates_[c++];
    const Effect effect = effect_at(write);
    if ((effect == Effect::changes) == takes_look) continue;
    if (effect == Effect::waits && !(newest_waits && write == candidates_[looks - 1])) continue;
    decisive.push_back(execution_arena_, write);
  }
  return decisive.span();
}

EventId GraphExecutor::choose_write(std::span<const EventId> candidates) {
  if (candidates.size() == 1 || threads_.current().is_confirming) return candidates.back();
  options_.resize(execution_arena_, candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) options_[i] = {.write = candidates[i]};
  return candidates[decider_.decide(Choice{ChoiceKind::reads_from, threads_.current().id, options_})];
}

/// The newest exclusive release in the chain of read-modify-writes that ends in `source`.
std::span<const EventId> GraphExecutor::exclusive_release(EventId source) {
  for (EventId id = source; graph_.event(id).kind == EventKind::rmw; id = graph_.event(id).reads_from) {
    const Event& event = graph_.event(id);
    const bool releases = static_cast<Operation>(event.operation) == rwlock_leave_exclusive.operation;
    if (!releases || (event.read & rwlock_owned) == 0) continue;
    auto release = graph_.arena().create_array<EventId>(1);
    release[0] = id;
    return release;
  }
  return {};
}

void GraphExecutor::block_for_good(SyncObject& object, const Rule& rule) {
  ProgramThread& self = threads_.current();
  self.blocked_by = rule;
  self.waits_for = object.whole != nullptr ? object.whole : &object;  // for reports
  self.ready = [](const SyncObject&, const ProgramThread&) { return false; };
  scheduler_.block_for_good();
}

/// A thread may wake for no reason, or because its time is up. How often either happens has a bound, since a loop
/// around the wait would otherwise have executions without end. A thread that would wake without the bound is not
/// deadlocked.
bool GraphExecutor::sleep(SyncObject& object, const Step& wake_up, bool may_wake_spuriously, std::uint64_t site,
                          Deadline deadline) {
  ProgramThread& self = threads_.current();
  const bool has_wakes_left = self.given_up < bounds_.spurious;
  Rule rule{&wake_up, number(self.id), deadline && has_wakes_left};
  rule.may_give_up = may_wake_spuriously && wakes_spuriously_ && has_wakes_left;
  self.wakes_early = !deadline;
  self.would_give_up = deadline && !has_wakes_left;
  const bool was_woken = perform(object, rule, site).succeeded;
  self.would_give_up = false;
  if (was_woken) return true;
  ++self.given_up;
  if (self.wakes_early) {
    scheduler_.time().record_spurious_wake_up(object, site);
    return true;
  }
  if (self.now < *deadline) {
    scheduler_.record_search_time_out(*deadline - self.now, object, site);
    self.now = *deadline;
  }
  return false;
}

std::uint32_t GraphExecutor::wake(SyncObject& object, std::uint32_t count, const Step& one, const Step& all,
                                  std::uint64_t site) {
  const bool wakes_all = count > 1;
  const ObjectState before{perform(object, {wakes_all ? &all : &one}, site).before};
  const std::uint32_t asleep = before.sleepers();
  if (wakes_all && asleep > count)
    end_.unsupported("the exhaustive search knows futex calls that wake one thread or all, this one wakes %u of %u",
                     count, asleep);
  return asleep == 0 ? 0 : wakes_all ? asleep : 1;
}

// ---- reader-writer locks -------------------------------------------------------------------------------------

namespace {
// Readers in different threads have different parts, as long as there are no more threads. Every part costs writers two
// events.
constexpr std::uint32_t most_parts = 8;
}  // namespace

StepResult GraphExecutor::perform_in_parts(SyncObject& lock, const Rule& rule, std::uint64_t site) {
  const ProgramThread& self = threads_.current();
  if (rule.gives_up)
    end_.end_search(channel::SearchAssumption::readers,
                    "a thread tries to lock a reader-writer lock, so it matters in which "
                    "order threads share the lock");
  while (lock.parts.size() < most_parts) objects_.add_part(lock);
  SyncObject& part = *lock.parts[number(self.id) % most_parts];
  if (rule.step == &rwlock_share) return perform_step(part, rule, site);
  if (rule.step == &rwlock_own) {
    const StepResult result = perform_step(lock, rule, site);
    lock.is_claimed = true;
    for (SyncObject* each : lock.parts) perform_step(*each, rule, site);
    lock.is_claimed = false;
    return result;
  }
  if (lock.owner == &self) {
    for (SyncObject* each : lock.parts) perform_step(*each, rule, site);
    return perform_step(lock, rule, site);
  }
  bool is_reader = false;
  for (const ProgramThread* reader : lock.readers) is_reader = is_reader || reader == &self;
  if (!is_reader)
    end_.end_search(channel::SearchAssumption::readers, "a thread unlocks a reader-writer lock that it does not hold");
  return perform_step(part, rule, site);
}

// ---- barriers -----------------------------------------------------------------------------------------------

StepResult GraphExecutor::arrive(SyncObject& barrier, const Rule& rule, std::uint64_t site) {
  const Step& step = *rule.step;
  ProgramThread& self = threads_.current();
  was_used_ = true;
  scheduler_.schedule_point(step.kind, MemoryOrder::plain, step.operation, barrier.location, site);
  bool is_known = false;
  for (const ProgramThread* arriver : barrier.arrivers) is_known = is_known || arriver == &self;
  if (!is_known) barrier.arrivers.push_back(execution_arena_, &self);
  if (barrier.arrivers.size() > rule.parameter)
    end_.end_search(channel::SearchAssumption::arrivals,
                    "%u threads use a barrier for %u, so the order in which they arrive matters",
                    static_cast<unsigned>(barrier.arrivers.size()), static_cast<unsigned>(rule.parameter));
  const Value before = barrier.state.value;
  step.change(barrier.state, rule);
  Event& arrival = log_.begin_event(step.kind, MemoryOrder::plain, step.operation, site);
  arrival.location = barrier.location;
  return {true, before, log_.record_synchronised(arrival, {})};
}

bool GraphExecutor::looks_at_result(std::uint64_t site) const {
  const std::uint64_t next = site + 1;  // where the call returns to
  const Module* module = modules_.find(next);
  if (module == nullptr) return true;
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(module->all.begin);
  return !machine::is_result_unused({begin, module->all.size()}, next - module->all.begin);
}

/// If arrivals are ordered, the last one is enough: every arrival reads from the one before, and is acq_rel.
void GraphExecutor::add_arrival(BarrierRound& round, EventId arrival, std::uint64_t site) {
  if (orders_arrivals()) round.arrivals.clear();
  round.arrivals.add(graph_, execution_arena_, arrival);
  if (orders_arrivals()) return;
  round.members.push_back(execution_arena_, {threads_.current().id, looks_at_result(site)});
  graph::ThreadId lowest = round.members[0].thread;
  bool is_looked_at = false;
  for (const BarrierRound::Member& member : round.members) {
    if (number(member.thread) < number(lowest)) lowest = member.thread;
    is_looked_at = is_looked_at || member.looks_at_result;
  }
  round.chooser = is_looked_at ? lowest : graph::no_thread;
}

bool GraphExecutor::is_serial(BarrierRound& round, bool arrived_last) {
  if (orders_arrivals()) return arrived_last;
  const graph::ThreadId self = threads_.current().id;
  if (round.chooser != self) return round.serial == self;
  std::uint32_t options = 0;
  for (const BarrierRound::Member& member : round.members) options += member.looks_at_result ? 1U : 0U;
  if (options < round.members.size()) ++options;
  const std::uint32_t chosen = options == 1 ? 0 : scheduler_.choose_number(ChoiceKind::value, options);
  // The members are in the order of their arrivals. The choice must not depend on it.
  for (const BarrierRound::Member& member : round.members) {
    if (!member.looks_at_result) continue;
    std::uint32_t lower = 0;
    for (const BarrierRound::Member& other : round.members)
      if (other.looks_at_result && number(other.thread) < number(member.thread)) ++lower;
    if (lower == chosen) round.serial = member.thread;
  }
  return round.serial == self;
}

void GraphExecutor::add_leave(SyncObject& barrier, BarrierRound& round, EventId leave) {
  if (round.chooser != threads_.current().id) return;
  round.chooser = graph::no_thread;
  round.arrivals.add(graph_, execution_arena_, leave);
  scheduler_.reconsider(barrier);
}

void GraphExecutor::kernel_barrier(std::uint64_t site) { atomics_.fence_in_kernel(site); }

std::uint32_t GraphExecutor::read_futex(const SyncObject& futex, std::uint64_t site) {
  return static_cast<std::uint32_t>(
      atomics_.load_in_kernel({futex.address, sizeof(std::uint32_t), MemoryOrder::relaxed, site}));
}

}  // namespace heddle::engine
