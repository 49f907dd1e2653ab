// Synchronisation objects under the exhaustive search. Elsewhere an object is a state of the engine's, and who gets
// it is decided by who comes first; here everything that decides must be in the graph. So an object is a location, an
// operation on it a read-modify-write or a read, and the rules below say what each makes of the value it reads:
//
//   changes   it goes on, and writes;
//   keeps     it goes on, having only read (a lock that was tried in vain, a signal that nobody waits for);
//   waits     the thread is blocked for the rest of the execution. Somebody may write a better value later: then
//             it is another execution, in which it reads that one.
//
// A thread whose operation would wait is scheduled after all others: mostly there is a better value by then.
#include <cerrno>

#include "engine/engine.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;
using strategies::ChoiceKind;

namespace {

using Kind = Transition::Kind;

Transition changes(Value written) { return {Kind::changes, written}; }
Transition keeps() { return {Kind::keeps, 0}; }
Transition waits() { return {Kind::waits, 0}; }
Transition waits_unless(bool tries) { return tries ? keeps() : waits(); }

constexpr Value bit(std::uint64_t place) { return Value{1} << place; }

// Mutex: 0, or 1 + the thread that holds it.
Transition lock(Value state, const Rule& rule) {
  return state == 0 ? changes(rule.parameter + 1) : waits_unless(rule.tries);
}
Transition clear(Value, const Rule&) { return changes(0); }

// Reader-writer lock: how many share it, or the owner.
constexpr Value owned = bit(64);
Transition share(Value state, const Rule& rule) {
  return (state & owned) == 0 ? changes(state + 1) : waits_unless(rule.tries);
}
Transition own(Value state, const Rule& rule) { return state == 0 ? changes(owned) : waits_unless(rule.tries); }
Transition leave_lock(Value state, const Rule&) { return changes(state == 0 || (state & owned) != 0 ? 0 : state - 1); }

// Semaphore: what its value has changed by since the beginning; the parameter, and the object's `count`, is what it
// began with.
std::int64_t semaphore_count(Value state, std::uint64_t initial) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(state) + initial);
}
std::uint64_t first_count(const SyncObject& semaphore) { return static_cast<std::uint64_t>(semaphore.count); }
Transition take(Value state, const Rule& rule) {
  return semaphore_count(state, rule.parameter) > 0 ? changes(state - 1) : waits_unless(rule.tries);
}
Transition post(Value state, const Rule&) { return changes(state + 1); }
Transition look(Value, const Rule&) { return keeps(); }

// Barrier: rounds completed, and above them how many have arrived in this one. The parameter is how many must.
constexpr std::uint32_t arrived_at = 64;
std::uint64_t rounds(Value state) { return static_cast<std::uint64_t>(state); }
Transition arrive(Value state, const Rule& rule) {
  const Value arrived = (state >> arrived_at) + 1;
  return changes(arrived >= rule.parameter ? rounds(state) + 1 : (arrived << arrived_at) | rounds(state));
}
bool round_is_complete(const SyncObject& barrier, const ProgramThread& thread) {
  return barrier.completed.size() > thread.generation;
}

// One-time initialisation.
constexpr Value untouched = 0, in_progress = 1, done = 2;
Transition enter_once(Value state, const Rule&) {
  return state == in_progress ? waits() : state == done ? keeps() : changes(in_progress);
}
Transition leave_once(Value, const Rule& rule) { return changes(rule.parameter); }

// Condition variable, futex: a bit for every thread that sleeps. `tries`: it wakes although nobody woke it, since its
// time is over or for no reason.
Transition fall_asleep(Value state, const Rule& rule) { return changes(state | bit(rule.parameter)); }
Transition wake_up(Value state, const Rule& rule) {
  if ((state & bit(rule.parameter)) == 0) return keeps();
  return rule.tries ? changes(state & ~bit(rule.parameter)) : waits();
}
Transition wake_all(Value state, const Rule&) { return state == 0 ? keeps() : changes(0); }
// Whom is decided once the value is known, see `wake_one`.
Transition wake_somebody(Value state, const Rule&) { return state == 0 ? keeps() : changes(state); }

std::uint32_t sleepers(Value state) {
  return static_cast<std::uint32_t>(__builtin_popcountll(static_cast<std::uint64_t>(state)) +
                                    __builtin_popcountll(static_cast<std::uint64_t>(state >> 64)));
}

Value without_sleeper(Value state, std::uint32_t index) {
  Value rest = state;
  for (std::uint32_t i = 0; i < index; ++i) rest &= rest - 1;
  return state & ~(rest & (~rest + 1));
}

}  // namespace

/// One operation on the object. Returns what it read.
Value Engine::operate(SyncObject& object, Rule rule, MemoryOrder order, Operation operation, std::uint64_t site) {
  ProgramThread& self = *current_;
  self.explored = {&object, rule};
  ++deciding_;
  reach(EventKind::rmw, order, operation, object.location, site);
  --deciding_;

  Event change = begin_event(EventKind::rmw, order, operation, site);
  change.location = object.location;
  Event look = change;
  look.kind = EventKind::load;
  const EventId source = choose_write(decisive_writes(look, change, rule));
  const Value state = graph_.event(source).written;
  Transition transition = rule.apply(state, rule);
  self.explored.object = nullptr;
  if (transition.kind == Kind::waits && rule.may_try && choose_number(ChoiceKind::value, 2) == 0) {
    rule.tries = true;
    transition = rule.apply(state, rule);
  } else if (transition.kind == Kind::changes && rule.may_try) {
    self.wakes_early = choose_number(ChoiceKind::value, 2) == 1;
  }
  if (transition.kind == Kind::changes) {
    if (rule.apply == wake_somebody)
      transition.written = without_sleeper(state, choose_number(ChoiceKind::value, sleepers(state)));
    change.reads_from = source;
    change.read = state;
    change.written = transition.written;
    if (rule.apply == share) change.synchronised = exclusive_release(source);
    graph_.begin_event() = change;
    record(graph_.event(source).mo_position + 1);
    had_effect();
    return state;
  }
  look.reads_from = source;
  look.read = state;
  graph_.begin_event() = look;
  record();
  if (transition.kind == Kind::waits) block_for_good(object, rule);
  return state;
}

/// What the operation may read, oldest first. If it can go on, what would make it wait is left out: nothing would
/// ever come of that, since a thread that waits on the newest value is as good, and is met elsewhere.
std::span<const EventId> Engine::decisive_writes(const Event& look, const Event& change, const Rule& rule) {
  const auto kind_at = [&](EventId write) { return rule.apply(graph_.event(write).written, rule).kind; };
  candidates_.clear();
  model_state_->readable_writes(look, candidates_);
  const std::size_t looks = candidates_.size();
  model_state_->readable_writes(change, candidates_);
  const bool newest_waits = kind_at(candidates_[looks - 1]) == Kind::waits;
  base::ArenaVector<EventId> decisive;
  std::size_t l = 0, c = looks;
  while (l < looks || c < candidates_.size()) {
    const bool takes_look = c == candidates_.size() || (l < looks && graph_.event(candidates_[l]).mo_position <=
                                                                         graph_.event(candidates_[c]).mo_position);
    const EventId write = takes_look ? candidates_[l++] : candidates_[c++];
    const Kind kind = kind_at(write);
    if ((kind == Kind::changes) == takes_look) continue;
    if (kind == Kind::waits && !(newest_waits && write == candidates_[looks - 1])) continue;
    decisive.push_back(execution_arena_, write);
  }
  return decisive.span();
}

void Engine::block_for_good(SyncObject& object, const Rule& rule) {
  ProgramThread& self = *current_;
  self.blocked_by = rule;
  self.waits_for = &object;  // for reports
  self.ready = [](const SyncObject&, const ProgramThread&) { return false; };
  ++blocked_;
  update_enabled(self);
  switch_to(pick());
  HEDDLE_CHECK(false, "a blocked thread goes on");
  __builtin_unreachable();
}

/// Does the thread's next operation wait, as things are?
bool Engine::would_wait(const ProgramThread& thread) const {
  const SyncObject* object = thread.explored.object;
  if (object == nullptr || thread.explored.rule.may_try) return false;
  const Value state = graph_.event(graph_.newest_write(object->location)).written;
  return thread.explored.rule.apply(state, thread.explored.rule).kind == Kind::waits;
}

/// It waits on a value that is no longer the newest, and something newer would let it go on.
bool Engine::waits_for_an_old_value(const ProgramThread& thread) const {
  if (thread.blocked_by.apply == nullptr) return false;
  const Event& read = graph_.event(graph_.thread(thread.id).events.back());
  const auto& order = graph_.location(read.location).modification_order;
  for (std::size_t at = graph_.mo_position_of(read) + std::size_t{1}; at < order.size(); ++at)
    if (thread.blocked_by.apply(graph_.event(order[at]).written, thread.blocked_by).kind != Kind::waits) return true;
  return false;
}

/// Whoever shares a lock learns from its last owner, not from those who shared it in between.
std::span<const EventId> Engine::exclusive_release(EventId source) {
  for (EventId id = source; graph_.event(id).kind == EventKind::rmw; id = graph_.event(id).reads_from) {
    const Event& event = graph_.event(id);
    if (static_cast<Operation>(event.operation) != Operation::rwlock_unlock || (event.read & owned) == 0) continue;
    auto release = execution_arena_.create_array<EventId>(1);
    release[0] = id;
    return release;
  }
  return {};
}

// ---- mutexes ------------------------------------------------------------------------------------------------

bool Engine::explore_lock(SyncObject& mutex, Operation operation, bool tries, std::uint64_t site) {
  const Value state = operate(mutex, {lock, number(current_->id), tries}, MemoryOrder::acquire, operation, site);
  if (state != 0) return false;
  mutex.owner = current_;
  mutex.depth = 1;
  return true;
}

void Engine::explore_unlock(SyncObject& mutex, std::uint64_t site) {
  operate(mutex, {clear}, MemoryOrder::release, Operation::mutex_unlock, site);
  mutex.owner = nullptr;
  mutex.depth = 0;
}

// ---- reader-writer locks ------------------------------------------------------------------------------------

bool Engine::explore_share(SyncObject& lock, bool tries, std::uint64_t site) {
  const Value state = operate(lock, {share, 0, tries}, MemoryOrder::relaxed, Operation::read_lock, site);
  if ((state & owned) != 0) return false;
  lock.readers.push_back(execution_arena_, current_);
  return true;
}

bool Engine::explore_own(SyncObject& lock, bool tries, std::uint64_t site) {
  if (operate(lock, {own, 0, tries}, MemoryOrder::acquire, Operation::write_lock, site) != 0) return false;
  lock.owner = current_;
  return true;
}

void Engine::explore_leave(SyncObject& lock, std::uint64_t site) {
  operate(lock, {leave_lock}, MemoryOrder::release, Operation::rwlock_unlock, site);
  if (lock.owner == current_) lock.owner = nullptr;
  for (std::size_t i = 0; i < lock.readers.size(); ++i)
    if (lock.readers[i] == current_) {
      lock.readers.erase(i);
      break;
    }
}

// ---- barriers, semaphores, one-time initialisation ----------------------------------------------------------

bool Engine::explore_barrier(SyncObject& barrier, std::uint32_t count, std::uint64_t site) {
  const Value before = operate(barrier, {arrive, count}, MemoryOrder::acq_rel, Operation::barrier_arrive, site);
  const EventId arrival = graph_.thread(current_->id).events.back();
  const bool is_last = (before >> arrived_at) + 1 >= count;
  if (is_last) {
    barrier.completed.push_back(execution_arena_, arrival);
    reconsider(barrier);
    return true;
  }
  // There is nothing to decide about leaving: like a join, it comes after one certain event.
  const auto round = static_cast<std::uint32_t>(rounds(before));
  current_->generation = round;
  await(barrier, round_is_complete, EventKind::lock, Operation::barrier_leave, site);
  record_sync(EventKind::lock, Operation::barrier_leave, barrier, {&barrier.completed[round], 1}, site);
  return false;
}

std::int64_t Engine::explore_semaphore_value(SyncObject& semaphore, std::uint64_t site) {
  return semaphore_count(operate(semaphore, {look, 0, true}, MemoryOrder::relaxed, Operation::semaphore_wait, site),
                         first_count(semaphore));
}

bool Engine::explore_take(SyncObject& semaphore, bool tries, std::uint64_t site) {
  const Rule rule{take, first_count(semaphore), tries};
  const Value state = operate(semaphore, rule, MemoryOrder::acquire, Operation::semaphore_wait, site);
  return semaphore_count(state, rule.parameter) > 0;
}

void Engine::explore_post(SyncObject& semaphore, std::uint64_t site) {
  operate(semaphore, {post}, MemoryOrder::release, Operation::semaphore_post, site);
}

bool Engine::explore_begin_once(SyncObject& once, std::uint64_t site) {
  const bool is_first = operate(once, {enter_once}, MemoryOrder::acquire, Operation::once_wait, site) == untouched;
  if (is_first) once.owner = current_;
  return is_first;
}

void Engine::explore_finish_once(SyncObject& once, bool succeeded, std::uint64_t site) {
  const auto state = static_cast<std::uint64_t>(succeeded ? done : untouched);
  operate(once, {leave_once, state}, MemoryOrder::release, Operation::once_done, site);
  once.owner = nullptr;
}

// ---- condition variables and futexes ------------------------------------------------------------------------

std::uint64_t Engine::sleeper_bit() {
  if (number(current_->id) >= 8 * sizeof(Value))
    unsupported("the exhaustive search knows condition variables and futexes for %zu threads at most",
                8 * sizeof(Value));
  return number(current_->id);
}

/// False: its time was over. A thread may also wake for no reason. How often either happens has a bound, since a loop
/// around the wait would otherwise have executions without end. A thread that would wake if there were none is not
/// deadlocked.
bool Engine::explore_sleep(SyncObject& object, Operation operation, bool may_wake, std::uint64_t site,
                           Deadline deadline) {
  const std::uint64_t own_bit = sleeper_bit();
  ProgramThread& self = *current_;
  const bool has_wakes_left = self.given_up < limits_.bounds.spurious;
  Rule rule{wake_up, own_bit, deadline && has_wakes_left};
  rule.may_try = may_wake && has_wakes_left;
  self.wakes_early = !deadline;
  self.would_give_up = deadline && !has_wakes_left;
  const Value state = operate(object, rule, MemoryOrder::relaxed, operation, site);
  self.would_give_up = false;
  if ((state & bit(own_bit)) == 0) return true;
  ++self.given_up;
  if (self.wakes_early) return true;
  if (self.now < *deadline) self.now = *deadline;
  return false;
}

int Engine::explore_wait(SyncObject& condition, SyncObject& mutex, std::uint64_t site, Deadline deadline) {
  // Whoever signals after the mutex is free must find the thread asleep.
  operate(condition, {fall_asleep, sleeper_bit()}, MemoryOrder::relaxed, Operation::condition_wait, site);
  const std::uint32_t depth = mutex.depth;
  explore_unlock(mutex, site);
  const bool woken = explore_sleep(condition, Operation::condition_wait, true, site, deadline);
  explore_lock(mutex, Operation::mutex_lock, false, site);
  mutex.depth = depth;
  return woken || !deadline ? 0 : ETIMEDOUT;
}

void Engine::explore_signal(SyncObject& condition, bool all, std::uint64_t site) {
  operate(condition, {all ? wake_all : wake_somebody}, MemoryOrder::relaxed, Operation::condition_signal, site);
}

/// The kernel looks at the futex and puts the thread to sleep under a lock that wakers take too: whoever wakes it sees
/// it asleep, or it sees what the waker wrote before. That takes a barrier between the two on both sides.
int Engine::explore_futex_wait(SyncObject& futex, std::uint32_t expected, std::uint64_t site, Deadline deadline) {
  operate(futex, {fall_asleep, sleeper_bit()}, MemoryOrder::acq_rel, Operation::futex_wait, site);
  fence(MemoryOrder::seq_cst, site);
  const Value now = load({futex.address, sizeof expected, MemoryOrder::relaxed, site});
  if (static_cast<std::uint32_t>(now) != expected) {
    operate(futex, {wake_up, sleeper_bit(), true}, MemoryOrder::relaxed, Operation::futex_wait, site);
    return EAGAIN;
  }
  return explore_sleep(futex, Operation::futex_wait, false, site, deadline) ? 0 : ETIMEDOUT;
}

int Engine::explore_futex_wake(SyncObject& futex, std::uint32_t count, std::uint64_t site) {
  fence(MemoryOrder::seq_cst, site);
  const bool all = count > 1;
  const Value asleep =
      operate(futex, {all ? wake_all : wake_somebody}, MemoryOrder::acq_rel, Operation::futex_wake, site);
  if (all && sleepers(asleep) > count)
    unsupported("the exhaustive search knows futex calls that wake one thread or all, this one wakes %u of %u", count,
                sleepers(asleep));
  return asleep == 0 ? 0 : all ? static_cast<int>(sleepers(asleep)) : 1;
}

// ---- annotations --------------------------------------------------------------------------------------------

void Engine::explore_annotation(SyncObject& point, bool releases, std::uint64_t site) {
  if (releases)
    operate(point, {post}, MemoryOrder::release, Operation::annotation_release, site);
  else
    operate(point, {look, 0, true}, MemoryOrder::acquire, Operation::annotation_acquire, site);
}

}  // namespace heddle::engine
