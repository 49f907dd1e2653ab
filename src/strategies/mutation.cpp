#include "strategies/mutation.hpp"

#include <algorithm>

namespace heddle::strategies {

using graph::EventKind;

namespace {

// A recording has many decisions that can be changed; if this many draws find none, it hardly has any.
constexpr int most_draws_of_target = 8;
// Two numbers for each event are drawn from, and most events are one decision.
constexpr int most_draws_of_decision = 32;
// The decisions of longer executions are not listed.
constexpr std::size_t most_events_in_turn = 256;
constexpr std::uint32_t no_decision = 0xffffffffU;
// Looking at all targets takes a step for each pair of a target and an event. A long recording has enough targets that
// can be changed.
constexpr std::size_t most_steps_for_targets = std::size_t{1} << 18;

bool may_update(const RecordedEvent& event) {
  return event.kind == EventKind::rmw || event.has(RecordedEvent::exchange);
}

/// Does what the event does depend on when other threads run? Create, start, finish and join have fixed partners.
bool is_visible(const RecordedEvent& event) {
  if (event.kind == EventKind::fence) return is_seq_cst(event.order);
  return accesses_memory(event.kind) || event.kind == EventKind::lock || event.kind == EventKind::unlock;
}

/// Do reads and stores have choices?
bool is_weak(StoreRule stores) { return stores == StoreRule::free || stores == StoreRule::in_sc_order; }

}  // namespace

bool Mutator::mutate(const Recording& recording, Mutation mutation, std::uint64_t turn, base::Random& random,
                     Plan& plan) {
  plan.clear();
  events_ = recording.events();
  // Under store buffers, the order in which stores reach memory is not part of a cut.
  if (mutation == Mutation::trace || recording.stores() == StoreRule::buffered)
    return mutate_trace(recording, turn, random, plan);
  return cut(recording, mutation, random, plan);
}

void Mutator::repeat(const Recording& recording, Plan& plan) {
  plan.clear();
  events_ = recording.events();
  kept_.resize(arena_, events_.size());
  kept_.fill(0, events_.size(), true);
  write_steps(recording, static_cast<std::uint32_t>(events_.size()), no_position, plan);
}

// ---- traces -------------------------------------------------------------------------------------------------------

/// Was the event at `i` the next one of a thread that could run before the event at `position`? It could if its thread
/// had done everything before it, and if the create, finish or unlock that it waits for had happened.
bool Mutator::was_enabled_at(const Recording& recording, std::uint32_t i, std::uint32_t position) const {
  const RecordedEvent& event = events_[i];
  if (event.has(RecordedEvent::imported)) return false;
  if (event.po_previous != no_position && event.po_previous >= position) return false;
  if (accesses_memory(event.kind)) return true;  // it could have read another write
  for (const std::uint32_t release : recording.releases_of(event))
    if (release != no_position && release >= position) return false;
  return true;
}

/// Could another thread have run instead of the event at `position`?
bool Mutator::can_switch_at(const Recording& recording, std::uint32_t position) const {
  const RecordedEvent& event = events_[position];
  // A switch before a store that no thread has to see is as good as one after it.
  if (event.kind == EventKind::store && !is_seq_cst(event.order)) return false;
  // So is one before an event that other threads neither see nor delay, such as the start of a thread.
  if (!is_visible(event)) return false;
  constexpr std::uint32_t farthest = 256;
  const std::uint32_t end = static_cast<std::uint32_t>(std::min<std::size_t>(events_.size(), position + farthest));
  for (std::uint32_t i = position + 1; i < end; ++i)
    if (events_[i].thread != event.thread && was_enabled_at(recording, i, position)) return true;
  return false;
}

/// Was there another write that the read, or the store as its successor, could take?
bool Mutator::has_other_write_before(const Recording& recording, std::uint32_t position) const {
  const RecordedEvent& event = events_[position];
  if (!accesses_memory(event.kind)) return false;
  std::uint32_t oldest = event.floor;
  for (std::uint32_t at = event.previous_access; at != no_position; at = events_[at].previous_access)
    if (event.has(RecordedEvent::follows_sc) && events_[at].has(RecordedEvent::seen_by_sc))
      oldest = std::max(oldest, events_[at].mo_position);
  // Nothing goes between a write and the rmw that reads from it.
  const auto is_free = [&](std::uint32_t rmw) { return event.kind == EventKind::load || rmw >= position; };
  std::uint32_t found = oldest == 0 && is_free(recording.locations()[event.location].updated_by) ? 1 : 0;
  for (std::uint32_t at = event.previous_access; at != no_position && found < 2; at = events_[at].previous_access)
    if (writes(events_[at].kind) && events_[at].mo_position >= oldest && is_free(events_[at].updated_by)) ++found;
  return found > 1;
}

/// Is the number one of a decision: which thread runs at an event (even numbers), or which write an access takes (odd)?
bool Mutator::is_decision(const Recording& recording, std::uint64_t number) const {
  const auto at = static_cast<std::uint32_t>(number / 2);
  if (events_[at].has(RecordedEvent::imported)) return false;
  if (number % 2 == 0) return can_switch_at(recording, at);
  return is_weak(recording.stores()) && has_other_write_before(recording, at);
}

/// The position of the first event that is not inherited: those before it are there in the recording that this one
/// continued, and a plan that changes one of them would be the same. 0: all are inherited.
std::uint32_t Mutator::first_own(const Recording& recording) const {
  std::uint32_t inherited = 0;
  for (std::uint32_t i = 0; i < events_.size(); ++i)
    if (!events_[i].has(RecordedEvent::imported) && ++inherited > recording.inherited()) return i;
  return 0;
}

/// Every second time, the decision is one of those that are not inherited. All of these are equally likely. Those of a
/// short execution are taken in turn.
std::uint32_t Mutator::draw_decision(const Recording& recording, std::uint64_t turn, base::Random& random) {
  const auto numbers = static_cast<std::uint32_t>(2 * events_.size());
  const std::uint32_t first = turn % 2 == 0 ? 0 : 2 * first_own(recording);
  turn /= 2;
  if (events_.size() <= most_events_in_turn) {
    candidates_.clear();
    for (std::uint32_t i = first; i < numbers; ++i)
      if (is_decision(recording, i)) candidates_.push_back(arena_, i);
    for (std::uint32_t i = 0; i < first && candidates_.empty(); ++i)
      if (is_decision(recording, i)) candidates_.push_back(arena_, i);
    return candidates_.empty() ? no_decision : candidates_[turn % candidates_.size()];
  }
  for (int draw = 0; draw < most_draws_of_decision; ++draw) {
    const auto drawn = first + static_cast<std::uint32_t>(random.below(numbers - first));
    if (is_decision(recording, drawn)) return drawn;
  }
  return no_decision;
}

bool Mutator::mutate_trace(const Recording& recording, std::uint64_t turn, base::Random& random, Plan& plan) {
  const std::uint32_t decision = draw_decision(recording, turn, random);
  if (decision == no_decision) return false;
  const std::uint32_t at = decision / 2;
  const bool is_thread = decision % 2 == 0;
  kept_.resize(arena_, events_.size());
  kept_.fill(0, at, true);
  write_steps(recording, at, is_thread ? no_position : at, plan);
  if (is_thread)
    plan.excluded_thread = recording.threads()[events_[at].thread];
  else
    (reads(events_[at].kind) ? plan.steps.back().takes_other_source : plan.steps.back().takes_other_slot) = true;
  return true;
}

// ---- cuts ---------------------------------------------------------------------------------------------------------

/// The pair with this number, of a target and another write, counted over all targets: the target, and which of its
/// writes.
Mutator::Pair Mutator::find_pair(const Recording& recording, std::uint64_t number) {
  const RecordedTarget* target = recording.targets().data();
  for (; number >= target->writes; ++target) number -= target->writes;
  return {target->position, static_cast<std::uint32_t>(number)};
}

bool Mutator::cut(const Recording& recording, Mutation mutation, base::Random& random, Plan& plan) {
  std::uint64_t pairs = 0;
  for (const RecordedTarget& target : recording.targets()) pairs += target.writes;
  for (int draw = 0; draw < most_draws_of_target && pairs != 0; ++draw) {
    const auto [target, number] = find_pair(recording, random.below(pairs));
    const RecordedEvent& event = events_[target];
    list_candidates(recording, target);
    if (candidates_.empty()) continue;
    const std::uint32_t chosen = candidates_[number % candidates_.size()];
    if (!keep(recording, mutation, target, chosen)) continue;
    write_steps(recording, static_cast<std::uint32_t>(events_.size()), target, plan);
    PlannedStep& last = plan.steps.back();
    (reads(event.kind) ? last.source : last.predecessor) = name_at(chosen);
    last.fixes_detail = false;  // its options depend on what is read
    return true;
  }
  return false;
}

void Mutator::count_targets(Recording& recording) {
  events_ = recording.events();
  if (events_.size() * recording.targets().size() > most_steps_for_targets) return;
  recording.count_targets([&](const RecordedTarget& target) {
    list_candidates(recording, target.position);
    return candidates_.size();
  });
}

/// The order of execution contains po, reads-from and synchronisation, so one pass closes the set.
void Mutator::mark_successors(const Recording& recording, std::uint32_t target) {
  successors_.resize(arena_, events_.size());
  successors_.fill(0, target, false);
  successors_.set(target, true);
  for (std::uint32_t i = target + 1; i < events_.size(); ++i) {
    const RecordedEvent& event = events_[i];
    bool depends = successors_.contains(event.po_previous) || successors_.contains(event.reads_from);
    for (const std::uint32_t release : recording.releases_of(event)) depends = depends || successors_.contains(release);
    successors_.set(i, depends);
  }
}

/// Adds the event and what it depends on to the kept events.
void Mutator::mark_predecessors(const Recording& recording, std::uint32_t of) {
  const auto visit = [this](std::uint32_t at) {
    if (at == no_position || kept_.contains(at)) return;
    kept_.set(at, true);
    unvisited_.push_back(arena_, at);
  };
  visit(of);
  while (!unvisited_.empty()) {
    const RecordedEvent& event = events_[unvisited_[unvisited_.size() - 1]];
    unvisited_.pop_back();
    visit(event.po_previous);
    visit(event.reads_from);
    for (const std::uint32_t release : recording.releases_of(event)) visit(release);
  }
}

/// The writes that a read may take, or that a store may follow, other than the one that it does. No two rmws read from
/// one write, and an rmw directly follows the write that it reads from.
void Mutator::list_candidates(const Recording& recording, std::uint32_t target) {
  candidates_.clear();
  const RecordedEvent& event = events_[target];
  if (!reads(event.kind) && !is_weak(recording.stores())) return;
  mark_successors(recording, target);
  const bool is_immediate = recording.stores() == StoreRule::immediate;
  const bool needs_free_write = !reads(event.kind) || may_update(event);
  // Of a store, mo_position is its own, behind that of the write that it follows.
  const std::uint32_t current =
      reads(event.kind) && event.kind != EventKind::rmw ? event.mo_position : event.mo_position - 1;
  const auto is_free = [&](std::uint32_t rmw) {
    return !needs_free_write || rmw == no_position || successors_.contains(rmw);
  };
  const RecordedLocation& location = recording.locations()[event.location];
  if (current != 0 && event.floor == 0 && !is_immediate && is_free(location.updated_by))
    candidates_.push_back(arena_, no_position);
  for (std::uint32_t at = location.last_access; at != no_position; at = events_[at].previous_access) {
    const RecordedEvent& access = events_[at];
    if (successors_.contains(at) || (is_immediate && at < target)) continue;
    if (writes(access.kind) && access.mo_position != current && access.mo_position >= event.floor &&
        is_free(access.updated_by))
      candidates_.push_back(arena_, at);
  }
}

/// Marks what the cut keeps. Returns false if the target cannot be reached with it.
bool Mutator::keep(const Recording& recording, Mutation mutation, std::uint32_t target, std::uint32_t chosen) {
  const auto count = static_cast<std::uint32_t>(events_.size());
  kept_.resize(arena_, count);
  kept_.fill(0, count, false);
  if (mutation == Mutation::revisit) kept_.fill(0, target, true);
  if (mutation == Mutation::maximal)
    for (std::uint32_t i = 0; i < count; ++i) kept_.set(i, !successors_.contains(i));
  if (mutation == Mutation::minimal) {
    mark_predecessors(recording, events_[target].po_previous);
    for (const std::uint32_t release : recording.releases_of(events_[target])) mark_predecessors(recording, release);
  }
  if (mutation != Mutation::maximal) mark_predecessors(recording, chosen);
  const bool sees_newest = recording.stores() == StoreRule::immediate || events_[target].has(RecordedEvent::follows_sc);
  return !sees_newest || drop_newer_accesses(recording, target, chosen);
}

/// If all threads see a store at once, a read takes the newest one. If seq_cst events see what those before them saw, a
/// seq_cst read takes nothing older than that. So what shows the target a write newer than `chosen` goes, with what
/// depends on it. Returns false if the target depends on it.
bool Mutator::drop_newer_accesses(const Recording& recording, std::uint32_t target, std::uint32_t chosen) {
  const std::uint32_t location = events_[target].location;
  const std::uint32_t newest = chosen == no_position ? 0 : events_[chosen].mo_position;
  const bool is_immediate = recording.stores() == StoreRule::immediate;
  const auto is_gone = [this](std::uint32_t at) { return at != no_position && !kept_.contains(at); };
  const auto lacks = [&](const RecordedEvent& event) {
    if (is_gone(event.po_previous)) return true;
    const auto releases = recording.releases_of(event);
    return std::any_of(releases.begin(), releases.end(), is_gone);
  };
  for (std::uint32_t i = 0; i < events_.size(); ++i) {
    if (!kept_.contains(i)) continue;
    const RecordedEvent& event = events_[i];
    const bool shows = is_immediate ? writes(event.kind) : event.has(RecordedEvent::seen_by_sc);
    if ((shows && accesses_memory(event.kind) && event.location == location && event.mo_position > newest) ||
        lacks(event) || (reads(event.kind) && is_gone(event.reads_from)))
      kept_.set(i, false);
  }
  return !is_gone(events_[target].po_previous) && (chosen == no_position || kept_.contains(chosen));
}

// ---- plans --------------------------------------------------------------------------------------------------------

/// Writes the kept events before `end`, in their order, and then the event `last`.
void Mutator::write_steps(const Recording& recording, std::uint32_t end, std::uint32_t last, Plan& plan) {
  newest_.resize(arena_, recording.locations().size());
  for (std::uint32_t& newest : newest_) newest = no_position;
  placed_.clear();
  plan.steps.reserve(arena_, events_.size());
  const auto add = [&](std::uint32_t position) {
    const RecordedEvent& event = events_[position];
    // A run imports plain stores by itself.
    if (!event.has(RecordedEvent::imported)) write_step(recording, event, plan.steps.add_uninitialised(arena_));
    if (!writes(event.kind)) return;
    std::uint32_t& newest = newest_[event.location];
    if (newest == no_position || event.mo_position > events_[newest].mo_position) newest = position;
    placed_.push_back(arena_, position);
  };
  for (std::uint32_t i = 0; i < end; ++i)
    if (kept_.contains(i) && i != last) add(i);
  if (last != no_position) add(last);
}

/// Writes each member in place: a copy of a step that was just written in pieces would wait for the pieces.
void Mutator::write_step(const Recording& recording, const RecordedEvent& event, PlannedStep& step) const {
  step.thread = recording.threads()[event.thread];
  step.name = event.name;
  step.source = reads(event.kind) ? name_at(event.reads_from) : 0;
  step.predecessor = writes(event.kind) ? predecessor_of(event) : 0;
  step.kind = event.kind;
  step.detail = event.detail;
  step.fixes_detail = event.has(RecordedEvent::has_detail);
  step.takes_other_source = false;
  step.takes_other_slot = false;
}

/// The newest write of the plan so far that is older than the store in modification order.
std::uint64_t Mutator::predecessor_of(const RecordedEvent& store) const {
  const std::uint32_t newest = newest_[store.location];
  if (newest == no_position || events_[newest].mo_position < store.mo_position) return name_at(newest);
  std::uint32_t best = no_position;
  for (const std::uint32_t at : placed_) {
    const RecordedEvent& write = events_[at];
    if (write.location != store.location || write.mo_position >= store.mo_position) continue;
    if (best == no_position || write.mo_position > events_[best].mo_position) best = at;
  }
  return name_at(best);
}

}  // namespace heddle::strategies
