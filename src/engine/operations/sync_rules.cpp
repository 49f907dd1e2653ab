#include "engine/operations/sync_rules.hpp"

namespace heddle::engine {

using graph::EventKind;
using graph::MemoryOrder;
using graph::ThreadId;
using graph::Value;

namespace {

constexpr Value bit(ThreadId thread) { return Value{1} << number(thread); }
ThreadId thread_of(const Rule& rule) { return ThreadId{static_cast<std::uint32_t>(rule.parameter)}; }

Effect always_changes(const ObjectState&, const Rule&) { return Effect::changes; }
Effect always_keeps(const ObjectState&, const Rule&) { return Effect::keeps; }
void change_nothing(ObjectState&, const Rule&) {}
void set_to_parameter(ObjectState& state, const Rule& rule) { state.value = rule.parameter; }
void increment(ObjectState& state, const Rule&) { ++state.value; }
void decrement(ObjectState& state, const Rule&) { --state.value; }

Effect takes_mutex(const ObjectState& state, const Rule&) {
  if ((state.value & mutex_unrecoverable) != 0) return Effect::keeps;
  return (state.value & ~mutex_inconsistent) == 0 ? Effect::changes : Effect::waits;
}
void set_holder(ObjectState& state, const Rule& rule) {
  state.value = (state.value & mutex_inconsistent) | (rule.parameter + 1);
}
void free_mutex(ObjectState& state, const Rule&) {
  state.value = (state.value & mutex_inconsistent) != 0 ? mutex_unrecoverable : Value{0};
}
void abandon_mutex(ObjectState& state, const Rule&) { state.value = mutex_inconsistent; }
void mend_mutex(ObjectState& state, const Rule&) { state.value &= ~mutex_inconsistent; }

Effect shares(const ObjectState& state, const Rule&) {
  return (state.value & rwlock_owned) == 0 ? Effect::changes : Effect::waits;
}
constexpr Value rwlock_holders = rwlock_announced - 1;
// As in glibc: if the lock is free, readers compete with a writer that has announced itself.
Effect shares_after_writers(const ObjectState& state, const Rule&) {
  const bool is_free = (state.value & rwlock_holders) == 0;
  return is_free || state.value < rwlock_owned ? Effect::changes : Effect::waits;
}
Effect owns_rwlock(const ObjectState& state, const Rule&) {
  return (state.value & rwlock_holders) == 0 ? Effect::changes : Effect::waits;
}
void set_owned(ObjectState& state, const Rule&) { state.value += rwlock_owned; }
void announce_writer(ObjectState& state, const Rule&) { state.value += rwlock_announced; }
void withdraw_writer(ObjectState& state, const Rule&) { state.value -= rwlock_announced; }
void own_as_announced(ObjectState& state, const Rule&) { state.value += rwlock_owned - rwlock_announced; }
void leave_rwlock(ObjectState& state, const Rule&) {
  const Value holders = state.value & rwlock_holders;
  const bool becomes_free = holders == 0 || (holders & rwlock_owned) != 0;
  state.value -= becomes_free ? holders : Value{1};
}

Effect takes(const ObjectState& state, const Rule& rule) {
  return semaphore_value(state.value, rule.parameter) > 0 ? Effect::changes : Effect::waits;
}

Effect posts(const ObjectState& state, const Rule& rule) {
  return semaphore_value(state.value, rule.parameter) < greatest_semaphore_value ? Effect::changes : Effect::keeps;
}

constexpr std::uint32_t arrived_at = 64;
void arrive(ObjectState& state, const Rule& rule) {
  const Value arrived = barrier_arrived(state.value) + 1;
  const Value rounds = barrier_rounds(state.value);
  state.value = arrived >= rule.parameter ? rounds + 1 : (arrived << arrived_at) | rounds;
}

Effect enters_once(const ObjectState& state, const Rule&) {
  if (state.value == once_in_progress) return Effect::waits;
  return state.value == once_done ? Effect::keeps : Effect::changes;
}
void begin_once(ObjectState& state, const Rule&) { state.value = once_in_progress; }

Effect wakes_up(const ObjectState& state, const Rule& rule) {
  return state.is_asleep(thread_of(rule)) ? Effect::waits : Effect::keeps;
}
Effect wakes_sleepers(const ObjectState& state, const Rule&) {
  return state.sleepers() == 0 ? Effect::keeps : Effect::changes;
}
void put_to_sleep(ObjectState& state, const Rule& rule) { state.put_to_sleep(thread_of(rule)); }
void stop_sleeping(ObjectState& state, const Rule& rule) { state.wake(thread_of(rule)); }
void wake_chosen(ObjectState& state, const Rule& rule) { state.wake_at(static_cast<std::uint32_t>(rule.parameter)); }
void wake_everyone(ObjectState& state, const Rule&) { state.wake_all(); }

constexpr auto acquires = EventKind::lock, releases = EventKind::unlock;

}  // namespace

// ---- the state ----------------------------------------------------------------------------------------------

bool ObjectState::is_asleep(ThreadId thread) const {
  if (list == nullptr) return (value & bit(thread)) != 0;
  for (const ThreadId sleeper : list->threads)
    if (sleeper == thread) return true;
  return false;
}

std::uint32_t ObjectState::sleepers() const {
  if (list != nullptr) return static_cast<std::uint32_t>(list->threads.size());
  return static_cast<std::uint32_t>(__builtin_popcountll(static_cast<std::uint64_t>(value)) +
                                    __builtin_popcountll(static_cast<std::uint64_t>(value >> 64)));
}

void ObjectState::put_to_sleep(ThreadId thread) {
  if (list == nullptr)
    value |= bit(thread);
  else
    list->threads.push_back(*list->arena, thread);
}

void ObjectState::wake(ThreadId thread) {
  if (list == nullptr) {
    value &= ~bit(thread);
    return;
  }
  for (std::uint32_t i = 0; i < list->threads.size(); ++i)
    if (list->threads[i] == thread) return list->threads.erase(i);
}

void ObjectState::wake_at(std::uint32_t index) {
  if (list != nullptr) return list->threads.erase(index);
  Value rest = value;
  for (std::uint32_t i = 0; i < index; ++i) rest &= rest - 1;
  value &= ~(rest & (~rest + 1));
}

void ObjectState::wake_all() {
  if (list == nullptr)
    value = 0;
  else
    list->threads.clear();
}

std::int64_t semaphore_value(Value state, std::uint64_t initial) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(state) + initial);
}
std::uint64_t barrier_rounds(Value state) { return static_cast<std::uint64_t>(state); }
std::uint64_t barrier_arrived(Value state) { return static_cast<std::uint64_t>(state >> arrived_at); }

// ---- the table ----------------------------------------------------------------------------------------------

constinit const Step mutex_lock{.judge = takes_mutex,
                                .change = set_holder,
                                .operation = Operation::mutex_lock,
                                .kind = acquires,
                                .order = MemoryOrder::acquire,
                                .learns = Learns::all_releases};
constinit const Step mutex_timed_lock{.judge = takes_mutex,
                                      .change = set_holder,
                                      .operation = Operation::mutex_timed_lock,
                                      .kind = acquires,
                                      .order = MemoryOrder::acquire,
                                      .learns = Learns::all_releases};
constinit const Step mutex_try_lock{.judge = takes_mutex,
                                    .change = set_holder,
                                    .operation = Operation::mutex_try_lock,
                                    .kind = acquires,
                                    .order = MemoryOrder::acquire,
                                    .learns = Learns::all_releases};
constinit const Step mutex_unlock{.judge = always_changes,
                                  .change = free_mutex,
                                  .operation = Operation::mutex_unlock,
                                  .kind = releases,
                                  .order = MemoryOrder::release,
                                  .publishes = Publishes::replaces};
constinit const Step spinlock_unlock{.judge = always_changes,
                                     .change = free_mutex,
                                     .operation = Operation::spinlock_unlock,
                                     .kind = releases,
                                     .order = MemoryOrder::release,
                                     .publishes = Publishes::replaces,
                                     .stores_plainly = true};
constinit const Step mutex_owner_ends{.judge = always_changes,
                                      .change = abandon_mutex,
                                      .operation = Operation::mutex_unlock,
                                      .kind = releases,
                                      .order = MemoryOrder::release,
                                      .publishes = Publishes::replaces};
constinit const Step mutex_mend{.judge = always_changes,
                                .change = mend_mutex,
                                .operation = Operation::mutex_lock,
                                .kind = acquires,
                                .order = MemoryOrder::relaxed,
                                .is_silent = true};

// A thread that shares the lock learns from its last owner, not from the threads that shared it in between.
constinit const Step rwlock_share{.judge = shares,
                                  .change = increment,
                                  .operation = Operation::read_lock,
                                  .kind = acquires,
                                  .order = MemoryOrder::relaxed,
                                  .learns = Learns::exclusive_releases};
constinit const Step rwlock_own{.judge = owns_rwlock,
                                .change = set_owned,
                                .operation = Operation::write_lock,
                                .kind = acquires,
                                .order = MemoryOrder::acquire,
                                .learns = Learns::all_releases};
constinit const Step rwlock_leave_shared{.judge = always_changes,
                                         .change = leave_rwlock,
                                         .operation = Operation::rwlock_unlock,
                                         .kind = releases,
                                         .order = MemoryOrder::release,
                                         .publishes = Publishes::adds};
constinit const Step rwlock_leave_exclusive{.judge = always_changes,
                                            .change = leave_rwlock,
                                            .operation = Operation::rwlock_unlock,
                                            .kind = releases,
                                            .order = MemoryOrder::release,
                                            .publishes = Publishes::replaces_exclusively};
constinit const Step rwlock_share_after_writers{.judge = shares_after_writers,
                                                .change = increment,
                                                .operation = Operation::read_lock,
                                                .kind = acquires,
                                                .order = MemoryOrder::relaxed,
                                                .learns = Learns::exclusive_releases};
constinit const Step rwlock_announce{.judge = always_changes,
                                     .change = announce_writer,
                                     .operation = Operation::write_lock,
                                     .kind = acquires,
                                     .order = MemoryOrder::relaxed,
                                     .is_silent = true};
constinit const Step rwlock_own_announced{.judge = owns_rwlock,
                                          .change = own_as_announced,
                                          .operation = Operation::write_lock,
                                          .kind = acquires,
                                          .order = MemoryOrder::acquire,
                                          .learns = Learns::all_releases};
constinit const Step rwlock_withdraw{.judge = always_changes,
                                     .change = withdraw_writer,
                                     .operation = Operation::write_lock,
                                     .kind = acquires,
                                     .order = MemoryOrder::relaxed,
                                     .is_silent = true};

constinit const Step semaphore_take{.judge = takes,
                                    .change = decrement,
                                    .operation = Operation::semaphore_wait,
                                    .kind = acquires,
                                    .order = MemoryOrder::acquire,
                                    .learns = Learns::all_releases,
                                    .looks_plainly = true};
constinit const Step semaphore_post{.judge = posts,
                                    .change = increment,
                                    .operation = Operation::semaphore_post,
                                    .kind = releases,
                                    .order = MemoryOrder::release,
                                    .publishes = Publishes::adds};
constinit const Step semaphore_look{.judge = always_keeps,
                                    .change = change_nothing,
                                    .operation = Operation::semaphore_wait,
                                    .kind = acquires,
                                    .order = MemoryOrder::relaxed,
                                    .is_silent = true,
                                    .looks_plainly = true};

constinit const Step barrier_arrive{.judge = always_changes,
                                    .change = arrive,
                                    .operation = Operation::barrier_arrive,
                                    .kind = releases,
                                    .order = MemoryOrder::acq_rel};

constinit const Step once_enter{.judge = enters_once,
                                .change = begin_once,
                                .operation = Operation::once_wait,
                                .kind = acquires,
                                .order = MemoryOrder::acquire,
                                .learns = Learns::all_releases,
                                .looks_plainly = true};
constinit const Step once_leave{.judge = always_changes,
                                .change = set_to_parameter,
                                .operation = Operation::once_done,
                                .kind = releases,
                                .order = MemoryOrder::release,
                                .publishes = Publishes::adds};

// Condition variables do not order memory: what a woken thread knows comes from the mutex that it locks again.
constinit const Step condition_sleep{.judge = always_changes,
                                     .change = put_to_sleep,
                                     .operation = Operation::condition_wait,
                                     .kind = releases,
                                     .order = MemoryOrder::relaxed,
                                     .is_silent = true};
constinit const Step condition_wake_up{.judge = wakes_up,
                                       .change = stop_sleeping,
                                       .operation = Operation::condition_wait,
                                       .kind = acquires,
                                       .order = MemoryOrder::relaxed,
                                       .changes_when_giving_up = true};
constinit const Step condition_wake_one{.judge = wakes_sleepers,
                                        .change = wake_chosen,
                                        .operation = Operation::condition_signal,
                                        .kind = releases,
                                        .order = MemoryOrder::relaxed,
                                        .chooses_sleeper = true,
                                        .looks_plainly = true};
constinit const Step condition_wake_all{.judge = wakes_sleepers,
                                        .change = wake_everyone,
                                        .operation = Operation::condition_signal,
                                        .kind = releases,
                                        .order = MemoryOrder::relaxed,
                                        .looks_plainly = true};

// The kernel puts a thread to sleep and wakes it under one lock, hence acq_rel.
constinit const Step futex_sleep{.judge = always_changes,
                                 .change = put_to_sleep,
                                 .operation = Operation::futex_wait,
                                 .kind = acquires,
                                 .order = MemoryOrder::acq_rel,
                                 .is_silent = true};
constinit const Step futex_wake_up{.judge = wakes_up,
                                   .change = stop_sleeping,
                                   .operation = Operation::futex_wait,
                                   .kind = acquires,
                                   .order = MemoryOrder::relaxed,
                                   .is_silent = true,
                                   .changes_when_giving_up = true};
constinit const Step futex_wake_one{.judge = wakes_sleepers,
                                    .change = wake_chosen,
                                    .operation = Operation::futex_wake,
                                    .kind = releases,
                                    .order = MemoryOrder::acq_rel,
                                    .is_silent = true,
                                    .chooses_sleeper = true};
constinit const Step futex_wake_all{.judge = wakes_sleepers,
                                    .change = wake_everyone,
                                    .operation = Operation::futex_wake,
                                    .kind = releases,
                                    .order = MemoryOrder::acq_rel,
                                    .is_silent = true};

// It changes the state, although no step depends on that: so a search orders it with every release, and an acquire that
// comes later, by what its thread has read, does not miss one.
constinit const Step annotation_acquire{.judge = always_changes,
                                        .change = increment,
                                        .operation = Operation::annotation_acquire,
                                        .kind = acquires,
                                        .order = MemoryOrder::acquire,
                                        .learns = Learns::all_releases};
constinit const Step annotation_release{.judge = always_changes,
                                        .change = increment,
                                        .operation = Operation::annotation_release,
                                        .kind = releases,
                                        .order = MemoryOrder::release,
                                        .publishes = Publishes::adds};

}  // namespace heddle::engine
