#include "engine/waiting/search_parking.hpp"

#include <cstdio>

#include "base/hash.hpp"
#include "engine/memory/plain_memory.hpp"
#include "engine/processes/descriptor_steps.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/scheduling/execution_observer.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/waiting_rounds.hpp"

namespace heddle::engine {

using strategies::Outcome;

namespace {
bool polls_volatile_memory(const ProgramThread& thread) {
  return static_cast<Operation>(thread.pending.operation) == Operation::volatile_read;
}

bool adds(const ProgramThread& thread) {
  const auto operation = static_cast<Operation>(thread.pending.operation);
  return operation == Operation::atomic_add || operation == Operation::atomic_sub;
}

/// The operation does not belong to a loop that waits.
bool ends_loop(graph::EventKind kind) {
  using graph::EventKind;
  return kind == EventKind::store || kind == EventKind::create || kind == EventKind::join || kind == EventKind::finish;
}

/// How many more iterations a loop that seems to wait makes before that is a livelock. A loop that makes progress in
/// the C library mostly ends earlier. Events make iterations slow.
std::uint32_t returns_to_confirm(const ProgramThread& thread) { return thread.has_written_in_round ? 128 : 4096; }
}  // namespace

void SearchParking::begin_execution() {
  Parking::begin_execution();
  has_round_with_writes_ = is_confirming_ = false;
}

void SearchParking::inspect(ProgramThread& self) {
  self.local_state = self.frames = 0;
  if (is_confirming_ && ends_loop(self.pending.kind)) report_unseen_progress(self);
  if (bounds_.loop != 0) count_visit(self);
  if (bounds_.symmetry != 0) twins_.refuse_to_tell_apart(self.pending.kind);
  apply(verdict_on(self), self);
}

SearchParking::Verdict SearchParking::verdict_on(ProgramThread& self) {
  if (polls_volatile_memory(self)) return verdict_on_poll(self);
  // The registers of a plain access that is an event are not known.
  if (!reads(self.pending.kind) || is_plain(static_cast<Operation>(self.pending.operation))) return Verdict::proceed;
  const SyncObject* const object = self.pending_step.object;
  if (object != nullptr && self.pending_step.rule.step == &mutex_lock) return verdict_on_lock(self);
  if (object != nullptr && !self.pending_step.rule.gives_up)
    return Verdict::proceed;  // it changes the state, or blocks
  return verdict_on_read(self);
}

void SearchParking::apply(Verdict verdict, ProgramThread& thread) {
  if (verdict != Verdict::proceed) {
    if (verdict == Verdict::stop) thread.has_undone = true;
    thread.parked = true;
    thread.parked_at = graph_.events_so_far();
    ++parked_;
    scheduler_.update_enabled(thread);
    if (polls_volatile_memory(thread)) return;  // it continues in this execution
  }
  if (observer_.is_on()) observer_.arrive(thread);
  if (verdict == Verdict::park && !decider_.is_repeating() && decider_.waits_for_ever(thread.id))
    end_.end(Outcome::blocked);
}

/// A loop over volatile memory is not part of the graph: the thread continues, in this execution, when memory has
/// changed. A loop that makes progress, in registers, on its stack or in other memory, is not parked. Its thread
/// yields, so that other threads go first.
SearchParking::Verdict SearchParking::verdict_on_poll(ProgramThread& thread) {
  thread.loops.retries.forget();
  if (observer_.is_on()) observer_.mark_opaque();
  CallerRegisters registers;
  local_state_.copy_noted_registers(thread, registers);  // without dead ones, for hash()
  const bool returns = thread.loops.waiting.returns_to(local_state_.hash(thread), graph_.thread(thread.id).index);
  if (is_confirming_ && !returns && !thread.loops.waiting.has_locked()) report_unseen_progress(thread);
  return returns && !PlainMemory::has_polled_memory_changed(thread) && is_confirmed(thread) ? Verdict::park
                                                                                            : Verdict::proceed;
}

/// Whether the thread, whose loop has returned to an earlier state, has made enough iterations to be parked.
bool SearchParking::is_confirmed(ProgramThread& thread) const {
  return !is_confirming_ || ++thread.confirmed_returns >= returns_to_confirm(thread);
}

/// The thread polls for at least one more iteration before it is parked again.
void SearchParking::release_polling(ProgramThread& thread) {
  thread.parked = false;
  --parked_;
  thread.loops.grant_iteration();
  scheduler_.update_enabled(thread);
}

/// Called before every choice while threads are parked.
void SearchParking::count_step() {
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked || !polls_volatile_memory(*thread) || !PlainMemory::has_polled_memory_changed(*thread))
      continue;
    findings_.withhold_proof(channel::ProofGap::polling);  // when the thread sees the change is not explored
    release_polling(*thread);
  }
}

/// A thread that comes to one place too often, through the same calls, goes no further; the others do.
void SearchParking::count_visit(ProgramThread& thread) {
  const SyncObject* object = thread.pending_step.object;
  const bool is_in_call =
      object != nullptr && object->whole != nullptr && thread.pending_step.rule.step != &rwlock_share;
  if (is_in_call) return;  // one of many steps of a call
  const std::uint64_t place = base::hash_words(thread.site, thread.calls.intern(stacks_), thread.pending.operation);
  for (ProgramThread::Visit& visit : thread.visits) {
    if (visit.place != place) continue;
    if (++visit.count > bounds_.loop) scheduler_.drop_out(ProgramThread::DroppedOut::by_bound);
    return;
  }
  thread.visits.push_back(execution_arena_, {place, 1});
}

/// Ends a loop that waits, for the rest of the execution: that one of its reads takes another value is another
/// execution, which the search visits anyway.
SearchParking::Verdict SearchParking::verdict_on_read(ProgramThread& thread) {
  const bool performs_step = thread.pending_step.object != nullptr;
  thread.use_of_result = 0;
  thread.fails_in_vain = false;
  const graph::ExecutionGraph::DriverNote* const repeated = driver_note_of(thread);
  const graph::Thread& author = graph_.thread(thread.id);
  if (repeated != nullptr) thread.loops.retries.failures = repeated->failed_emulations;
  if (repeated == nullptr && undoing_loops_.has_undone(thread)) return Verdict::stop;
  // An effect of the thread will make what would be noted here forgotten.
  if (repeated != nullptr && author.index < author.last_effect) {
    local_state_.forget_noted_registers();
    return Verdict::proceed;
  }
  // One call of the program, a wait for a condition say, can be several steps: each is a place of its own.
  const auto place = performs_step ? reinterpret_cast<std::uint64_t>(thread.pending_step.rule.step) : 0;
  CallerRegisters registers;
  const bool is_noted = !performs_step && local_state_.copy_noted_registers(thread, registers);
  const CallerRegisters* const noted = is_noted ? &registers : nullptr;
  // What the operation is to do is a part of the state: the registers with its operands are not preserved.
  // A location has a name: its number depends on the order of execution.
  const std::uint64_t location =
      thread.pending.location == graph::no_location ? 0 : graph_.location(thread.pending.location).name;
  const std::uint64_t operation = base::hash_words(place, location, retry_loops_.hash_of_operands(noted));
  const std::uint64_t state = local_state_.hash(thread) ^ operation;
  if (noted != nullptr) {
    thread.local_state = state;
    thread.frames = registers.stack_pointer;
  }
  const bool returns = thread.loops.waiting.returns_to(state, author.index);
  if (repeated != nullptr) {
    retry_loops_.note(thread, noted);
    thread.need_not_go_on = false;
    return Verdict::proceed;
  }
  if (!returns) {
    if (is_confirming_ && !thread.loops.waiting.has_locked()) report_unseen_progress(thread);
    thread.need_not_go_on = retry_loops_.need_not_go_on(thread, noted);
    if (thread.need_not_go_on) return Verdict::park;
    thread.fails_in_vain = bounds_.weak != 0 && noted != nullptr && retry_loops_.would_fail_in_vain(thread);
    thread.use_of_result = adds(thread) && noted != nullptr ? undoing_loops_.use_of_result(thread) : std::uint16_t{0};
    return Verdict::proceed;
  }
  return verdict_after_round(thread);
}

/// A thread that locks a mutex, looks, and unlocks it waits if it is about to lock the mutex again in the same state.
SearchParking::Verdict SearchParking::verdict_on_lock(ProgramThread& thread) {
  const bool repeats = driver_note_of(thread) != nullptr;
  const graph::Thread& author = graph_.thread(thread.id);
  CallerRegisters registers;
  if (bounds_.undone != 0 || (repeats && author.index < author.last_effect) ||
      !local_state_.copy_noted_registers(thread, registers)) {
    local_state_.forget_noted_registers();
    return Verdict::proceed;
  }
  const std::uint64_t mutex = graph_.location(thread.pending.location).name;
  const std::uint64_t place = base::hash_words(reinterpret_cast<std::uint64_t>(&mutex_lock), mutex);
  const bool returns = thread.loops.waiting.returns_to(local_state_.hash(thread) ^ place, author.index);
  if (repeats) return Verdict::proceed;
  if (is_confirming_ && !returns && !thread.loops.waiting.has_locked()) report_unseen_progress(thread);
  return returns ? verdict_after_round(thread) : Verdict::proceed;
}

/// The thread's loop has returned to an earlier state. A transcript does not tell is_exact() of the round.
SearchParking::Verdict SearchParking::verdict_after_round(ProgramThread& thread) {
  if (!is_confirmed(thread)) return Verdict::proceed;
  thread.has_written_in_round = has_writes(graph_, thread.id, thread.loops.waiting.begin());
  if (thread.has_written_in_round) {
    has_round_with_writes_ = true;
    if (observer_.is_on()) observer_.mark_opaque();
  }
  return Verdict::park;
}

bool SearchParking::is_exact() {
  if (!has_round_with_writes_) return true;
  has_round_with_writes_ = false;
  for (const ProgramThread* thread : threads_.threads())
    if (thread->parked && thread->has_written_in_round &&
        !is_exact_round(graph_, thread->id, thread->loops.waiting.begin()))
      return false;
  return true;
}

/// The search repeats an execution in which the thread was here before, and continued: what the search noted then.
/// Null: it does not.
const graph::ExecutionGraph::DriverNote* SearchParking::driver_note_of(const ProgramThread& thread) const {
  if (!decider_.is_repeating() || is_confirming_) return nullptr;
  const graph::EventId next = graph_.next_repeated_of(thread.id);
  return next == graph::no_event ? nullptr : &graph_.history_of(next).note;
}

/// Tells the search which threads would block: it runs them last, when there mostly is a better value.
void SearchParking::mark_waiting(std::span<const strategies::Option> enabled) {
  for (const strategies::Option& option : enabled) {
    ProgramThread& thread = threads_.at(option.thread);
    thread.pending.waits = would_wait(thread);
  }
}

/// Does the thread's next step wait, in the newest state of its object?
bool SearchParking::would_wait(const ProgramThread& thread) const {
  const SyncObject* object = thread.pending_step.object;
  if (object == nullptr || thread.pending_step.rule.may_give_up || thread.pending_step.rule.gives_up) return false;
  const ObjectState newest{graph_.event(graph_.newest_write(object->location)).written};
  return thread.pending_step.rule.judge(newest) == Effect::waits;
}

/// Of a call on descriptors, nothing can be said about older states, since the kernel has only the newest.
bool SearchParking::waits_in(graph::ThreadId thread, graph::Value state) const {
  const auto& step = threads_.at(thread).pending_step;
  if (DescriptorSteps::contains(&step.rule)) return false;
  return step.object != nullptr && !step.rule.may_give_up && step.rule.effect_on(ObjectState{state}) == Effect::waits;
}

bool SearchParking::is_step(graph::ThreadId thread) const { return threads_.at(thread).pending_step.object != nullptr; }

/// A waiting thread that could read something newer is not stuck: in another execution it does.
bool SearchParking::resolve_stuck() {
  if (release_after_news()) return true;
  for (const ProgramThread* thread : threads_.threads()) has_met_bound_ |= thread->would_give_up;
  for (const ProgramThread* thread : threads_.threads())
    if (could_go_on_elsewhere(*thread)) end_.end(Outcome::blocked);
  return begin_confirming();
}

/// Other threads may have written to memory that a thread polls, although count_step() has not seen that: only the
/// thread's newest reads are remembered.
bool SearchParking::release_after_news() {
  if (is_confirming_) return false;
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked || !polls_volatile_memory(*thread) || thread->parked_at == graph_.events_so_far()) continue;
    release_polling(*thread);
    return true;
  }
  return false;
}

/// Before the search reports a livelock, the loops run for many more iterations. A loop may make progress in the kernel
/// or in the C library, which local states do not show. The reads take the newest writes, so that there is nothing to
/// choose: executions with other iterations are not to be explored.
bool SearchParking::begin_confirming() {
  if (is_confirming_ || parked_ == 0) return false;
  is_confirming_ = true;
  observer_.pause();
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked || thread->has_undone) continue;
    thread->parked = false;
    thread->is_confirming = true;
    thread->confirmed_returns = 0;
    --parked_;
    scheduler_.update_enabled(*thread);
  }
  return true;
}

void SearchParking::report_unseen_progress(const ProgramThread& thread) {
  char message[256];
  std::snprintf(message, sizeof message,
                "a loop of %s seemed to wait, but makes progress that heddle does not see (in the kernel or in the C "
                "library), so the search cannot explore the executions that follow",
                thread.label);
  findings_.report_limit(LimitKind::unseen, message, thread.site);
  end_.end(Outcome::cut_off);
}

bool SearchParking::could_go_on_elsewhere(const ProgramThread& thread) const {
  if (thread.has_undone) return undoing_loops_.could_go_on(thread);
  const bool waits_for_claim = thread.blocked_by.step == &rwlock_share && thread.waits_for->is_claimed;
  if (thread.would_give_up || thread.need_not_go_on || waits_for_claim || is_blocked_by_old_value(thread)) return true;
  return thread.parked && could_read_other_values(graph_, graph_.thread(thread.id), thread.loops.waiting.begin());
}

/// The thread's step waits on a state that is no longer the newest, and a newer one would let it continue.
bool SearchParking::is_blocked_by_old_value(const ProgramThread& thread) const {
  if (thread.blocked_by.step == nullptr) return false;
  const graph::Event& read = graph_.event(graph_.thread(thread.id).events.back());
  const auto& order = graph_.location(read.location).modification_order;
  for (std::size_t at = graph_.mo_position_of(read) + std::size_t{1}; at < order.size(); ++at)
    if (thread.blocked_by.judge(ObjectState{graph_.event(order[at]).written}) != Effect::waits) return true;
  return false;
}

}  // namespace heddle::engine
