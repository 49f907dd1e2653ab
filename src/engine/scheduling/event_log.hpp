// Appends events to the execution graph, with everything that follows from an event: the memory model commits it, the
// strategy hears of it, virtual time passes, and limits are checked.
//
// An event is built in its place: begin_event(), fill in the rest, record(). Only one event is under construction at a
// time, always of the current thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "channel/channel.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/operations/operation.hpp"
#include "engine/scheduling/decider.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"

namespace heddle::engine {

class FindingSink;
class ExecutionObserver;

class EventLog {
 public:
  EventLog(const ExecutionParts& execution, Scheduler& scheduler, InternalSteps& internal_steps,
           channel::Channel* channel);

  void configure(const ExecutionPolicy& policy, const models::MemoryModel& model);
  /// The graph is empty, or was cut.
  void begin_execution();
  /// What the memory model keeps for this execution.
  models::ModelState& model_state() { return *model_state_; }
  /// Another object in every execution.
  models::ModelState* const& model_state_of_execution() const { return model_state_; }

  /// Executions are cut off when this arena is half full, too.
  void set_search_arena(const base::Arena& arena) { search_arena_ = &arena; }

  /// The current thread's next event, in its place in the graph. Valid until the next call of begin_event or record.
  /// Not inline: clearing an event takes two cache lines of code, and a dozen callers need it.
  [[gnu::noinline]] graph::Event& begin_event(graph::EventKind kind, graph::MemoryOrder order, Operation operation,
                                              std::uint64_t site);
  /// Appends the event that was begun. Does not return if the execution ends here.
  graph::EventId record(std::uint32_t mo_position = graph::ExecutionGraph::newest);

  // ---- for executions that are made from a transcript -----------------------------------------------------------
  /// Appends the event that was begun to the graph, and commits it to the model.
  graph::EventId append(std::uint32_t mo_position, std::uint32_t failed_emulations);
  void count_event() {
    ++events_;
    beat();
  }
  /// The execution begins with so many events of the last one.
  void count_kept_events(std::uint64_t events) { events_ = events; }
  /// Whether record() may soon cut the execution off.
  bool is_near_limits() const;

  /// Records the event that was begun as one that synchronises with `releases`, and notes progress. The event keeps a
  /// copy: the caller's set may keep growing.
  graph::EventId record_synchronised(graph::Event& event, std::span<const graph::EventId> releases);

  /// Cuts the execution off, with a finding that says which limit was reached, and which thread is in a loop.
  [[noreturn, gnu::cold, gnu::noinline]] void cut_off();
  /// Tells the driver's watchdog that the execution moves.
  void beat() { pulse_->store(pulse_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  std::uint64_t events() const { return events_; }

 private:
  [[gnu::cold, gnu::noinline]] graph::Event& make_room_and_begin(graph::EventKind kind, graph::MemoryOrder order,
                                                                 Operation operation, std::uint64_t site);
  /// A part of record(), the most frequent function of all.
  [[gnu::always_inline]] graph::EventId append_event(std::uint32_t mo_position);
  void commit(graph::EventId id);
  bool is_out_of_memory() const;
  [[gnu::noinline]] graph::EventId record_repeatably(std::uint32_t mo_position);
  graph::EventId repeat();
  /// The current thread has made an event.
  void let_time_pass() {
    scheduler_.time().tick();
    beat();
    if (++events_ >= next_look_at_limits_) [[unlikely]]
      look_at_limits();
  }
  [[gnu::noinline]] void look_at_limits();
  [[gnu::cold, gnu::noinline]] void begin_second_half();

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  Decider& decider_;
  InternalSteps& internal_steps_;
  FindingSink& findings_;
  ExecutionObserver& observer_;
  ExecutionEnd& end_;
  const base::Arena* search_arena_ = nullptr;
  const models::MemoryModel* model_ = nullptr;
  models::ModelState* model_state_ = nullptr;
  ExecutionPolicy policy_;
  std::uint64_t events_ = 0;
  std::uint64_t next_look_at_limits_ = 0;  ///< number of events
  bool is_second_half_ = false;            ///< half of the events that the limit allows have been executed
  std::atomic<std::uint64_t> unheard_pulse_{0};
  std::atomic<std::uint64_t>* pulse_ = &unheard_pulse_;  ///< in the channel; this class is its only writer
};

}  // namespace heddle::engine
