// Who runs next. Threads that can go on are kept in `enabled_`, sorted by name, ready to be offered to the strategy as
// they are.
#include <algorithm>

#include "base/hash.hpp"
#include "engine/engine.hpp"

namespace heddle::engine {

using graph::EventKind;
using graph::LocationId;
using strategies::Choice;
using strategies::ChoiceKind;
using strategies::Option;
using strategies::Outcome;
using strategies::PendingOperation;

namespace {
// Rounds in which only spinning threads were left, and nothing came of it, until that counts as a livelock.
// Round r grants each of them 2^r reads before its loop is recognised again, so a loop that merely counts has
// some 250,000 rounds to come to its end.
constexpr std::uint32_t fruitless_rounds_limit = 17;
// Virtual time that passes in round r: 1 ms * 2^r. A loop that polls a clock for minutes ends this way.
constexpr std::uint64_t fruitless_round_time = 1000000;
// One recognised loop in 8 is left alone for a while: many spin a bounded number of times and then do something else
// (block, back off), which would never be seen if others always went first.
constexpr std::uint64_t persistent_spin_odds = 8;
constexpr std::uint32_t persistent_spin_reads = 64;
// For so few, one by one is faster.
constexpr std::size_t many_waiters = 16;
}  // namespace

void Engine::reach_while_exploring(ProgramThread& self) {
  if (limits_.bounds.loop != 0) count_visit(self);
  if (limits_.bounds.symmetry != 0) refuse_to_tell_twins_apart(self.pending.kind);
  if (limits_.exhaustive && reads(self.pending.kind)) park_if_waiting(self);
  if (!limits_.exhaustive && self.spin.is_spinning() && reads(self.pending.kind)) park_if_nothing_new(self);
}

/// A thread that comes to one place too often, through the same calls, goes no further; the others do.
void Engine::count_visit(ProgramThread& thread) {
  const std::uint64_t place = base::hash_words(thread.site, thread.calls.intern(stacks_), thread.pending.operation);
  for (ProgramThread::Visit& visit : thread.visits) {
    if (visit.place != place) continue;
    if (++visit.count > limits_.bounds.loop) drop_out(ProgramThread::DroppedOut::by_bound);
    return;
  }
  thread.visits.push_back(execution_arena_, {place, 1});
}

void Engine::drop_out(ProgramThread::DroppedOut why) {
  ProgramThread& self = *current_;
  self.dropped_out = why;
  update_enabled(self);
  switch_to(pick());
  HEDDLE_CHECK(false, "a thread goes on that had dropped out");
  __builtin_unreachable();
}

Outcome Engine::outcome_if_over() const {
  Outcome outcome = Outcome::completed;
  for (const ProgramThread* thread : threads_) {
    if (thread->dropped_out == ProgramThread::DroppedOut::by_bound) return Outcome::cut_off;
    if (thread->dropped_out == ProgramThread::DroppedOut::by_assumption) outcome = Outcome::blocked;
  }
  return outcome;
}

void Engine::assume_not(std::uint64_t site) {
  current_->site = site;
  drop_out(ProgramThread::DroppedOut::by_assumption);
}

std::uint32_t Engine::choose_value(std::uint32_t options, std::uint64_t site) {
  reach(EventKind::fence, graph::MemoryOrder::plain, Operation::any_value, graph::no_location, site);
  const std::uint32_t chosen = choose_number(ChoiceKind::value, options);
  graph::Event& event = begin_event(EventKind::fence, graph::MemoryOrder::plain, Operation::any_value, site);
  event.read = chosen;
  record();
  had_effect();
  return chosen;
}

std::uint32_t Engine::any_values() const {
  constexpr std::uint32_t sampled_values = 16;
  return limits_.exhaustive ? static_cast<std::uint32_t>(limits_.bounds.values) : sampled_values;
}

[[gnu::always_inline]] inline ProgramThread& Engine::pick_in_line() {
  if (enabled_.empty() || deciding_ != 0) [[unlikely]]
    prepare_to_pick();
  std::uint32_t index = 0;
  if (enabled_.size() > 1) {
    const PendingOperation* going_on = current_->enabled ? &current_->pending : nullptr;
    index = decider_.draws_uniformly() && is_uniform_thread_choice(going_on)
                ? decider_.draw_uniformly(ChoiceKind::thread, enabled_.size())
                : decider_.decide(Choice{ChoiceKind::thread, current_->id, enabled_, stores_are_immediate_, going_on});
  }
  return *slots_[number(enabled_[index].thread)];
}

ProgramThread& Engine::pick() { return pick_in_line(); }

bool Engine::reach_pending() {
  if (graph_.events().size() >= next_pass_at_) [[unlikely]]
    forget_if_large();
  ProgramThread& self = *current_;
  if (explores_) [[unlikely]]
    reach_while_exploring(self);
  else if (self.spin.is_spinning() && reads(self.pending.kind)) [[unlikely]]
    park_if_nothing_new(self);
  ProgramThread& next = pick_in_line();
  const bool others_run = &next != &self;
  if (others_run) switch_to(next);
  decider_.about_to_execute(self.id, self.pending);
  return others_run;
}

void Engine::prepare_to_pick() {
  while (enabled_.empty()) resolve_stuck();
  if (deciding_ == 0) return;
  for (const Option& option : enabled_) {
    ProgramThread& thread = *slots_[number(option.thread)];
    thread.pending.waits = would_wait(thread);
  }
}

void Engine::set_enabled(ProgramThread& thread, bool enabled) {
  if (thread.enabled == enabled) return;
  thread.enabled = enabled;
  if (!enabled) {
    std::size_t at = 0;
    while (enabled_[at].thread != thread.id) ++at;
    enabled_.erase(at);
    return;
  }
  std::size_t at = enabled_.size();
  while (at != 0 && precedes(&thread, slots_[number(enabled_[at - 1].thread)])) --at;
  Option option;
  option.thread = thread.id;
  option.pending = &thread.pending;
  enabled_.insert(execution_arena_, at, option);
}

bool Engine::can_go_on(const ProgramThread& thread) {
  const bool waits_no_more =
      thread.waits_for == nullptr || thread.gives_up || thread.timed_out || thread.ready(*thread.waits_for, thread);
  return waits_no_more && !thread.parked && thread.dropped_out == ProgramThread::DroppedOut::no &&
         thread.state == ProgramThread::State::alive;
}

void Engine::update_enabled(ProgramThread& thread) { set_enabled(thread, can_go_on(thread)); }

bool Engine::await(SyncObject& object, Ready ready, EventKind kind, Operation operation, std::uint64_t site,
                   Deadline deadline) {
  ProgramThread& self = *current_;
  self.waits_for = &object;
  self.ready = ready;
  self.timed_out = self.gives_up = false;
  self.deadline = deadline;
  if (deadline && !ready(object, self)) self.gives_up = choose_number(ChoiceKind::timeout, 2) == 1;
  object.waiters.push_back(object.kind == SyncKind::thread ? forever_ : execution_arena_, &self);
  update_enabled(self);
  reach(kind, graph::MemoryOrder::plain, operation, object.location, site);

  const bool is_ready = ready(object, self);
  if (!is_ready && self.deadline && *self.deadline > now_) now_ = *self.deadline;
  for (std::size_t i = 0; i < object.waiters.size(); ++i)
    if (object.waiters[i] == &self) {
      object.waiters.erase(i);
      break;
    }
  self.waits_for = nullptr;
  self.deadline = no_deadline;
  self.gives_up = self.timed_out = false;
  return is_ready;
}

void Engine::reconsider(SyncObject& object) {
  if (object.waiters.size() > many_waiters) return reconsider_many(object);
  for (ProgramThread* waiter : object.waiters) update_enabled(*waiter);
}

/// Hundreds of threads that wait for one lock come and go together: one by one that would take the square of their
/// number.
void Engine::reconsider_many(SyncObject& object) {
  waking_.clear();
  bool somebody_goes = false;
  for (ProgramThread* waiter : object.waiters) {
    const bool enabled = can_go_on(*waiter);
    if (enabled == waiter->enabled) continue;
    waiter->enabled = enabled;
    if (enabled)
      waking_.push_back(execution_arena_, {.thread = waiter->id, .pending = &waiter->pending});
    else
      somebody_goes = true;
  }
  const auto thread_of = [this](const Option& option) { return slots_[number(option.thread)]; };
  if (somebody_goes) {
    std::size_t kept = 0;
    for (const Option& option : enabled_)
      if (thread_of(option)->enabled) enabled_[kept++] = option;
    enabled_.resize(execution_arena_, kept);
  }
  if (waking_.empty()) return;
  const auto comes_first = [&](const Option& a, const Option& b) { return precedes(thread_of(a), thread_of(b)); };
  std::sort(waking_.begin(), waking_.end(), comes_first);
  // Both are sorted: the larger end of the two goes to the end, and so on.
  std::size_t old = enabled_.size(), fresh = waking_.size(), at = old + fresh;
  enabled_.resize(execution_arena_, at);
  while (fresh != 0) {
    const bool takes_old = old != 0 && comes_first(waking_[fresh - 1], enabled_[old - 1]);
    enabled_[--at] = takes_old ? enabled_[--old] : waking_[--fresh];
  }
}

std::uint32_t Engine::choose_number(ChoiceKind kind, std::uint32_t count) {
  if (count < 2) return 0;
  options_.resize(execution_arena_, count);
  for (std::uint32_t i = 0; i < count; ++i) options_[i] = {.number = i};
  return decider_.decide(Choice{kind, current_->id, options_});
}

void Engine::yield(std::uint64_t site) {
  reach(EventKind::fence, graph::MemoryOrder::plain, Operation::yield, graph::no_location, site, true);
  tick();
}

void Engine::sleep(std::uint64_t nanoseconds, std::uint64_t site) {
  const std::uint64_t until = now() + nanoseconds;
  reach(EventKind::fence, graph::MemoryOrder::plain, Operation::sleep, graph::no_location, site, true);
  if (now() < until) now_here() = until;
}

// Nobody can go on by himself: time-outs fire, then spinning threads get another chance, then it is a finding.
void Engine::resolve_stuck() {
  if (fire_earliest_deadline()) return;
  if (limits_.exhaustive && somebody_reads_stale_values()) end_execution(Outcome::blocked);
  if (!limits_.exhaustive && release_parked()) return;
  if (alive_ == 0) end_execution(Outcome::completed);
  if (const Outcome outcome = outcome_if_over(); outcome != Outcome::completed) end_execution(outcome);
  findings_.report_stuck(parked_ != 0);
  end_execution(Outcome::blocked);
}

bool Engine::fire_earliest_deadline() {
  ProgramThread* earliest = nullptr;
  for (ProgramThread* thread : threads_)
    if (thread->state == ProgramThread::State::alive && thread->deadline && thread->waits_for != nullptr &&
        (earliest == nullptr || *thread->deadline < *earliest->deadline))
      earliest = thread;
  if (earliest == nullptr) return false;
  earliest->timed_out = true;
  update_enabled(*earliest);
  return true;
}

bool Engine::release_parked() {
  if (parked_ == 0 || fruitless_rounds_ >= fruitless_rounds_limit) return false;
  now_ += fruitless_round_time << fruitless_rounds_;
  const std::uint32_t immunity = 1U << fruitless_rounds_;
  ++fruitless_rounds_;
  for (ProgramThread* thread : threads_) {
    if (!thread->parked) continue;
    thread->parked = false;
    thread->spin.grant_immunity(immunity);
    update_enabled(*thread);
  }
  parked_ = 0;
  return true;
}

/// The exhaustive search ends a loop that waits for good: that one of its reads takes another value is another
/// execution, which it visits anyway.
void Engine::park_if_waiting(ProgramThread& thread) {
  const bool operates = thread.explored.object != nullptr;
  if (operates && !thread.explored.rule.tries) return;  // it has an effect, or blocks
  // One call of the program, a wait for a condition say, can be several operations: they are different places.
  const auto place = operates ? reinterpret_cast<std::uint64_t>(thread.explored.rule.apply) : 0;
  if (!thread.waiting_loop.returns_to(local_state(thread.site) ^ place, graph_.thread(thread.id).index)) return;
  thread.parked = true;
  ++parked_;
  update_enabled(thread);
  if (decider_.waits_for_ever(thread.id)) end_execution(Outcome::blocked);
}

/// A waiting thread that could read something newer is not stuck: it is another execution in which it does.
bool Engine::somebody_reads_stale_values() const {
  for (const ProgramThread* thread : threads_) {
    if (thread->would_give_up || waits_for_an_old_value(*thread)) return true;
    if (!thread->parked) continue;
    for (const graph::EventId id : graph_.thread(thread->id).events) {
      const graph::Event& read = graph_.event(id);
      if (!reads(read.kind) || read.index <= thread->waiting_loop.begin()) continue;
      const auto& order = graph_.location(read.location).modification_order;
      for (std::size_t at = graph_.mo_position_of(read) + std::size_t{1}; at < order.size(); ++at)
        if (graph_.event(order[at]).written != read.read) return true;
    }
  }
  return false;
}

bool Engine::has_news(const ProgramThread& thread) const {
  for (std::uint32_t i = 0; i < thread.spin.body_size(); ++i) {
    const SpinDetector::Read& seen = thread.spin.body(i);
    const auto& order = graph_.location(seen.location).modification_order;
    for (std::size_t at = graph_.event(seen.write).mo_position + 1; at < order.size(); ++at)
      if (graph_.event(order[at]).written != seen.value) return true;
  }
  return false;
}

void Engine::park_if_nothing_new(ProgramThread& thread) {
  if (has_news(thread)) return;
  if (dice_.engines().one_in(persistent_spin_odds)) {
    thread.spin.grant_immunity(persistent_spin_reads);
    return;
  }
  thread.parked = true;
  ++parked_;
  update_enabled(thread);
}

void Engine::unpark_watchers(LocationId location) {
  if (parked_ == 0 || limits_.exhaustive) return;
  for (ProgramThread* thread : threads_) {
    if (!thread->parked) continue;
    bool watches = false;
    for (std::uint32_t i = 0; i < thread->spin.body_size(); ++i) watches |= thread->spin.body(i).location == location;
    if (!watches || !has_news(*thread)) continue;
    thread->parked = false;
    --parked_;
    update_enabled(*thread);
  }
}

}  // namespace heddle::engine
