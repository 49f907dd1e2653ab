#include "engine/engine.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/fast_paths.hpp"
#include "models/synchronisation.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using strategies::Outcome;

namespace {
constexpr std::uint64_t main_thread_name = 0x6865646c6d61696eULL;
// Freed blocks are handed out again at once in every second execution only: re-use is what ABA bugs need, and what
// hides a use after free.
constexpr std::uint64_t late_reuse_odds = 2;
}  // namespace

Engine::Engine(base::Arena& forever, base::Arena& execution_arena, Heap& heap, const Modules& modules,
               channel::Channel* channel)
    : forever_(forever), execution_arena_(execution_arena), heap_(heap), modules_(modules), channel_(channel),
      graph_(execution_arena), shadow_(forever), races_(shadow_, execution_arena), stacks_(forever),
      locations_(forever), objects_(forever) {
  if (channel == nullptr) return;
  shadow_.set_pulse(channel->progress.current_memory);
  pulse_ = &channel->progress.current_events;
}

void Engine::configure(const models::MemoryModel& model, strategies::Strategy& strategy, const Limits& limits,
                       std::uint64_t seed) {
  model_ = &model;
  stores_are_immediate_ = model.stores_are_immediate();
  decider_.use(strategy);
  limits_ = limits;
  explores_ = limits.exhaustive || limits.bounds.loop != 0 || limits.bounds.symmetry != 0;
  if (limits.bounds.events != 0 && limits.bounds.events < limits.max_events) limits_.max_events = limits.bounds.events;
  dice_.set_seed(seed);
}

void Engine::begin(std::uint64_t number) {
  execution_arena_.reset();
  begin_graph();
  candidates_.forget();
  fitting_.forget();
  options_.forget();
  unnamed_options_.forget();
  slots_in_mo_.forget();
  enabled_.forget();
  waking_.forget();
  threads_.forget();
  keys_.forget();
  retired_objects_.forget();
  free_objects_.forget();
  ++execution_;
  races_.begin_execution(execution_);
  locations_.begin_execution(execution_);
  objects_.begin_execution(execution_);
  findings_.begin_execution(number);
  events_ = now_ = next_look_at_limits_ = 0;
  alive_ = unjoined_ = parked_ = deciding_ = blocked_ = fruitless_rounds_ = 0;
  outcome_ = Outcome::completed;
  timed_out_ = false;
  // The exhaustive search comes back to what it saw in another execution: it must find it unchanged.
  dice_.begin_execution(limits_.exhaustive ? 0 : number);
  reuse_ = dice_.first_below(late_reuse_odds) == 0 ? Reuse::late : Reuse::at_once;
  if (limits_.exhaustive) reuse_ = Reuse::never;
  decider_.begin_execution();
  if (channel_ != nullptr) channel_->progress.current_execution.store(number, std::memory_order_relaxed);
}

Outcome Engine::run(std::uint64_t number, void* (*program_main)(void*), void* argument) {
  begin(number);
  ProgramThread& main = thread_slot(main_thread_name, nullptr, 0);
  begin_thread(main, program_main, argument);
  current_ = &main;
  running_ = this;
  Fiber::switch_between(root_, main.fiber);
  running_ = nullptr;
  current_ = nullptr;
  decider_.end_execution(outcome_);
  return outcome_;
}

void Engine::end_execution(Outcome outcome) {
  outcome_ = outcome;
  Fiber::abandon_for(root_);
}

void Engine::exit_program() {
  // Whoever can still run may come first; the exhaustive search lets everybody.
  if (limits_.exhaustive && current_->enabled)
    reach(EventKind::finish, graph::MemoryOrder::plain, Operation::thread_finish, graph::no_location, 0, true);
  if (limits_.check_leaks) findings_.report_leaks();
  end_execution(outcome_if_over());
}

EventId Engine::record(std::uint32_t mo_position) {
  graph::Thread& author = graph_.thread(current_->id);
  const EventId id = graph_.append_newest_of(author, mo_position);
  Event& event = graph_.event(id);
  if (base::fast_paths && model_state_->commits_clocks_only() && !is_seq_cst(event.order))
    models::synchronise(graph_, author, event, models::ReleaseSequence::cpp20);
  else
    model_state_->commit(id);
  if (!decider_.executed(event)) end_execution(Outcome::cut_off);
  tick();
  beat();
  if (++events_ >= next_look_at_limits_) [[unlikely]]
    look_at_limits(event.site);
  return id;
}

/// Every so many events: what they take of the arenas between two looks is little against the half that must be free.
void Engine::look_at_limits(std::uint64_t site) {
  constexpr std::uint64_t events_between_looks = 16;
  if (events_ >= limits_.max_events || execution_arena_.is_half_full() || graph_.arena().is_half_full()) cut_off(site);
  next_look_at_limits_ = events_ + events_between_looks;
  if (next_look_at_limits_ > limits_.max_events) next_look_at_limits_ = limits_.max_events;
}

void Engine::cut_off(std::uint64_t site) {
  if (limits_.exhaustive && events_ == limits_.bounds.events) end_execution(Outcome::cut_off);
  const bool by_events = events_ >= limits_.max_events;
  char message[160];
  std::snprintf(message, sizeof message, "the execution was cut off after %llu events; %s",
                static_cast<unsigned long long>(events_),
                by_events ? "--max-events allows more" : "heddle has no address space for more of them (ulimit -v?)");
  findings_.report_limit(by_events ? LimitKind::events : LimitKind::address_space, message, site);
  end_execution(Outcome::cut_off);
}

EventId Engine::record_sync(EventKind kind, Operation operation, SyncObject& object,
                            std::span<const EventId> synchronised, std::uint64_t site) {
  Event& event = begin_event(kind, graph::MemoryOrder::plain, operation, site);
  event.location = object.location;
  // The set goes on growing: the event keeps what it is now.
  auto copy = graph_.arena().create_array<EventId>(synchronised.size());
  for (std::size_t i = 0; i < synchronised.size(); ++i) copy[i] = synchronised[i];
  event.synchronised = copy;
  had_effect();
  return record();
}

void Engine::had_effect() {
  current_->spin.effect();
  current_->waiting_loop.effect();
  fruitless_rounds_ = 0;
}

void Engine::unsupported(const char* format, ...) {
  char text[sizeof channel_->progress.failure_text];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (channel_ != nullptr) {
    std::memcpy(channel_->progress.failure_text, text, sizeof text);
    channel_->progress.failure.store(channel::Failure::unsupported, std::memory_order_release);
    if (channel_->request.in_process != 0 && running_ != nullptr) end_execution(Outcome::cut_off);
  }
  ::_exit(3);
}

}  // namespace heddle::engine
