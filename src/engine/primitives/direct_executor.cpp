#include "engine/primitives/direct_executor.hpp"

namespace heddle::engine {

using graph::EventId;
using graph::MemoryOrder;
using strategies::ChoiceKind;

namespace {
bool rule_allows(const SyncObject& object, const ProgramThread& thread) {
  return thread.waits_with->judge(object.state) != Effect::waits;
}
}  // namespace

void DirectExecutor::begin_call(SyncObject& object, const Step& step, std::uint64_t site) {
  scheduler_.schedule_point(step.kind, MemoryOrder::plain, step.operation, object.location, site);
}

StepResult DirectExecutor::perform(SyncObject& object, const Rule& rule, std::uint64_t site) {
  const Step& step = *rule.step;
  const graph::Value before = object.state.value;
  const Effect effect = rule.judge(object.state);
  if (effect == Effect::waits) {
    if (step.changes_when_giving_up)
      step.change(object.state, rule);
    else
      scheduler_.yield(site);  // a loop that tries again and again spins, on no memory location: others go first
    return {false, before, graph::no_event};
  }
  if (effect == Effect::changes) step.change(object.state, rule);
  const bool is_plain = effect == Effect::changes ? step.stores_plainly : step.looks_plainly;
  const EventId event = step.is_silent ? graph::no_event : record(object, step, !is_plain, site);
  publish(object, step.publishes, event);
  if (effect == Effect::changes) scheduler_.reconsider(object);
  return {true, before, event};
}

StepResult DirectExecutor::wait_and_perform(SyncObject& object, const Rule& rule, std::uint64_t site,
                                            Deadline deadline) {
  threads_.current().waits_with = &rule;  // in a frame that outlives the wait
  if (!scheduler_.await(object, rule_allows, rule.step->kind, rule.step->operation, site, deadline))
    return {false, object.state.value, graph::no_event};
  return perform(object, rule, site);
}

EventId DirectExecutor::record(SyncObject& object, const Step& step, bool has_barrier, std::uint64_t site) {
  const MemoryOrder order = has_barrier ? MemoryOrder::plain : MemoryOrder::acq_rel;
  graph::Event& event = log_.begin_event(step.kind, order, step.operation, site);
  event.location = object.location;
  switch (step.learns) {
    case Learns::nothing: return log_.record_synchronised(event, {});
    case Learns::all_releases: return log_.record_synchronised(event, object.released.events());
    case Learns::exclusive_releases: return log_.record_synchronised(event, object.released_exclusively.events());
  }
  __builtin_unreachable();
}

void DirectExecutor::publish(SyncObject& object, Publishes how, EventId event) {
  switch (how) {
    case Publishes::nothing: return;
    case Publishes::replaces_exclusively:
      object.released_exclusively.clear();
      object.released_exclusively.add(graph_, execution_arena_, event);
      [[fallthrough]];
    case Publishes::replaces: object.released.clear(); [[fallthrough]];
    case Publishes::adds: object.released.add(graph_, execution_arena_, event);
  }
}

bool DirectExecutor::draws_spurious_wake_up(const SyncObject& object, std::uint64_t site) {
  if (!wakes_spuriously_ || scheduler_.choose_number(ChoiceKind::spurious, 2) == 0) return false;
  scheduler_.time().record_spurious_wake_up(object, site);
  return true;
}

bool DirectExecutor::sleep(SyncObject& object, const Step& wake_up, bool, std::uint64_t site, Deadline deadline) {
  ProgramThread& self = threads_.current();
  const Rule rule{&wake_up, number(self.id)};
  self.waits_with = &rule;
  const bool woken = scheduler_.await(object, rule_allows, wake_up.kind, wake_up.operation, site, deadline);
  if (!woken) wake_up.change(object.state, rule);
  if (!wake_up.is_silent) record(object, wake_up, true, site);
  return woken;
}

std::uint32_t DirectExecutor::wake(SyncObject& object, std::uint32_t count, const Step& one, const Step&,
                                   std::uint64_t site) {
  if (!one.is_silent) record(object, one, object.state.sleepers() != 0, site);
  if (object.kind == SyncKind::futex)
    object.known_to_wakers = atomics_.newest_known(object.address, object.known_to_wakers);
  std::uint32_t woken = 0;
  for (; woken < count; ++woken) {
    const std::uint32_t asleep = object.state.sleepers();
    if (asleep == 0) break;
    // Which one wakes is a choice, unless all do.
    const bool wakes_all = count >= asleep + woken;
    object.state.wake_at(wakes_all ? 0 : scheduler_.choose_number(ChoiceKind::value, asleep));
  }
  scheduler_.reconsider(object);
  return woken;
}

void DirectExecutor::kernel_barrier(std::uint64_t site) {
  log_.begin_event(graph::EventKind::fence, MemoryOrder::seq_cst, Operation::futex_wait, site);
  log_.record();
}

std::uint32_t DirectExecutor::read_futex(const SyncObject& futex, std::uint64_t site) {
  return atomics_.look_at_futex(futex.address, futex.known_to_wakers, site);
}

}  // namespace heddle::engine
