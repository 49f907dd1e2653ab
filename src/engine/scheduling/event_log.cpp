#include "engine/scheduling/event_log.hpp"

#include <cstdio>

#include "base/fast_paths.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/scheduling/execution_observer.hpp"
#include "models/synchronisation.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventId;
using strategies::Outcome;

EventLog::EventLog(const ExecutionParts& execution, Scheduler& scheduler, InternalSteps& internal_steps,
                   channel::Channel* channel)
    : execution_arena_(execution.arena), graph_(execution.graph), threads_(execution.threads), scheduler_(scheduler),
      decider_(execution.decider), internal_steps_(internal_steps), findings_(execution.findings),
      observer_(execution.observer), end_(execution.end) {
  if (channel != nullptr) pulse_ = &channel->progress.current_events;
}

void EventLog::configure(const ExecutionPolicy& policy, const models::MemoryModel& model) {
  policy_ = policy;
  model_ = &model;
}

void EventLog::begin_execution() {
  events_ = next_look_at_limits_ = 0;
  is_second_half_ = false;
  model_state_ = &model_->begin_execution(graph_, execution_arena_);
  if (!graph_.events().empty()) model_state_->adopt_graph();
}

Event& EventLog::begin_event(graph::EventKind kind, graph::MemoryOrder order, Operation operation, std::uint64_t site) {
  if (graph_.is_full()) [[unlikely]]
    return make_room_and_begin(kind, order, operation, site);
  Event& event = graph_.begin_event();
  event.kind = kind;
  event.order = order;
  event.operation = static_cast<std::uint8_t>(operation);
  event.thread = threads_.current().id;
  event.site = site;
  return event;
}

/// A function of its own, so that begin_event() calls none and saves no registers.
Event& EventLog::make_room_and_begin(graph::EventKind kind, graph::MemoryOrder order, Operation operation,
                                     std::uint64_t site) {
  graph_.begun_event();
  return begin_event(kind, order, operation, site);
}

inline EventId EventLog::append_event(std::uint32_t mo_position) {
  graph::Thread& author = graph_.thread(threads_.current().id);
  const EventId id = graph_.next_id();
  Event& event = graph_.append_newest_of(author, mo_position);
  if (base::fast_paths && model_state_->commits_clocks_only() && !is_seq_cst(event.order))
    models::synchronise(graph_, author, event, models::ReleaseSequence::cpp20);
  else
    commit(id);
  return id;
}

EventId EventLog::append(std::uint32_t mo_position, std::uint32_t failed_emulations) {
  const EventId id = append_event(mo_position);
  if (graph_.keeps_history()) graph_.record_history(id, {decider_.decisions(), failed_emulations});
  return id;
}

EventId EventLog::record(std::uint32_t mo_position) {
  if (policy_.repeats_executions) [[unlikely]]
    return record_repeatably(mo_position);
  const EventId id = append_event(mo_position);
  if (!decider_.executed(graph_.event(id))) end_.end(Outcome::cut_off);
  let_time_pass();
  return id;
}

/// record() under ExecutionPolicy::repeats_executions: the event may be one of the execution before, or of later ones.
EventId EventLog::record_repeatably(std::uint32_t mo_position) {
  if (decider_.is_repeating()) return repeat();
  const EventId id = append(mo_position, threads_.current().loops.retries.failures);
  if (observer_.is_on()) observer_.performed(id);
  if (!decider_.executed(graph_.event(id))) end_.end(Outcome::cut_off);
  let_time_pass();
  return id;
}

/// The graph contains the event already, and the strategy knows it.
EventId EventLog::repeat() {
  const EventId id = graph_.repeat(graph_.begun_event());
  if (id == graph::no_event) {
    decider_.mark_diverged();
    end_.end(Outcome::cut_off);
  }
  decider_.repeated(id);
  if (observer_.is_on()) observer_.end_repeating();
  let_time_pass();
  return id;
}

void EventLog::commit(EventId id) {
  // Atomic operations have settled their stores; this is for synchronisation objects and the like.
  if (internal_steps_.any()) internal_steps_.settle_before(graph_.event(id));
  model_state_->commit(id);
}

EventId EventLog::record_synchronised(Event& event, std::span<const EventId> releases) {
  event.synchronised = graph_.arena().copy_array(releases);
  scheduler_.mark_progress();
  return record();
}

bool EventLog::is_near_limits() const {
  constexpr std::uint64_t margin = 64;
  return events_ + margin >= policy_.max_events || is_out_of_memory();
}

bool EventLog::is_out_of_memory() const {
  return execution_arena_.is_half_full() || graph_.arena().is_half_full() ||
         (search_arena_ != nullptr && search_arena_->is_half_full());
}

/// Called every so many events: what they take of the arenas between two looks is little against the half that must
/// be free.
void EventLog::look_at_limits() {
  constexpr std::uint64_t events_between_looks = 16;
  if (events_ >= policy_.max_events || is_out_of_memory()) cut_off();
  if (!is_second_half_ && events_ >= policy_.max_events / 2) begin_second_half();
  next_look_at_limits_ = events_ + events_between_looks;
  if (next_look_at_limits_ > policy_.max_events) next_look_at_limits_ = policy_.max_events;
}

/// The threads that made events since half of the limit, and those that could have and did not, show why the execution
/// does not end.
void EventLog::begin_second_half() {
  is_second_half_ = true;
  for (ProgramThread* thread : threads_.threads()) thread->events_at_half = graph_.thread(thread->id).index;
}

void EventLog::cut_off() {
  if (policy_.stops_silently_at_bound && events_ == policy_.max_events) end_.end(Outcome::cut_off);
  const bool by_events = events_ >= policy_.max_events;
  const auto recent_events = [this](const ProgramThread& thread) {
    return (graph_.thread(thread.id).index - thread.events_at_half) / 2;  // events have the even indices
  };
  ProgramThread* busiest = &threads_.current();
  ProgramThread* starved = nullptr;
  std::uint64_t sum = 0;
  for (ProgramThread* thread : threads_.threads()) {
    sum += recent_events(*thread);
    if (recent_events(*thread) > recent_events(*busiest)) busiest = thread;
    const bool could_run = !thread->is_service && (thread->enabled || thread->parked || thread->sleeps);
    if (starved == nullptr && could_run && recent_events(*thread) == 0) starved = thread;
  }
  char message[400];
  int length =
      std::snprintf(message, sizeof message, "the execution was cut off after %llu events; %s made %u of the last %llu",
                    static_cast<unsigned long long>(events_), busiest->label, recent_events(*busiest),
                    static_cast<unsigned long long>(sum));
  if (starved != nullptr)
    length += std::snprintf(
        message + length, sizeof message - static_cast<std::size_t>(length),
        starved->sleeps ? ", while %s sleeps: with --time-model strict, time passes only while no thread can run"
                        : ", while %s could run and did not",
        starved->label);
  std::snprintf(message + length, sizeof message - static_cast<std::size_t>(length), "; %s",
                by_events ? "--max-events allows more" : "heddle has no address space for more of them (ulimit -v?)");
  findings_.report_cut_off(by_events ? LimitKind::events : LimitKind::address_space, message, *busiest, starved);
  end_.end(Outcome::cut_off);
}

}  // namespace heddle::engine
