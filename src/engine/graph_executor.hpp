// Performs steps of synchronisation primitives in the execution graph (sync_executor.hpp), for a search. Everything
// that decides must be in the graph. So an object is a location, and a step is a read-modify-write, or a read if it
// leaves the state as it is.
//
// A thread whose step would wait is scheduled after all others (SearchParking). So a step that waits becomes an event
// only if no thread can go on. Then it blocks its thread for the rest of the execution: that it reads another state is
// another execution, which the search visits (exploration/exploration.hpp).
//
// Barriers. The order in which threads arrive at a barrier is not a part of the graph: an arrival is an event that
// accesses no memory, and a thread that leaves synchronises with all arrivals of its round. This is exact if no more
// threads use the barrier than have to arrive. Then every round consists of one arrival of each of them, whatever the
// order, since a thread cannot arrive twice in one round. With more threads, the order decides who meets whom: the
// search ends, and begins again with the parameter `arrivals` (strategies::SearchBounds), with which an arrival is a
// read-modify-write. No execution is missed without this, because a thread can arrive in every state.
//
// One thread of a round learns that it is the serial one, and any thread may be (POSIX). If the program does not look
// at what its calls return (machine/unused_result.hpp), there is nothing to choose. Otherwise the thread with the
// lowest number chooses one of the threads that look, or that it is none of them if another thread does not look. It
// leaves first, and the others synchronise with that. They learn nothing by this that they do not learn from the
// arrivals, for the thread has done nothing since it arrived.
#pragma once

#include "engine/atomics.hpp"
#include "engine/event_log.hpp"
#include "engine/modules.hpp"
#include "engine/search_parking.hpp"
#include "engine/sync_executor.hpp"

namespace heddle::engine {

class GraphExecutor final : public SyncExecutor {
 public:
  GraphExecutor(base::Arena& execution_arena, graph::ExecutionGraph& graph, ThreadTable& threads, Scheduler& scheduler,
                SearchParking& parking, EventLog& log, Decider& decider, Atomics& atomics, const Modules& modules,
                ExecutionEnd& end)
      : execution_arena_(execution_arena), graph_(graph), threads_(threads), scheduler_(scheduler), parking_(parking),
        log_(log), decider_(decider), atomics_(atomics), modules_(modules), end_(end) {}

  void configure(const strategies::SearchBounds& bounds) {
    bounds_ = bounds;
    was_used_ = false;
  }
  /// True if a synchronisation object has become a part of a graph since configure().
  bool was_used() const { return was_used_; }
  void begin_execution() {
    candidates_.forget();
    options_.forget();
  }

  void begin_call(SyncObject&, const Step&, std::uint64_t) override {}
  StepResult perform(SyncObject& object, const Rule& rule, std::uint64_t site) override;
  StepResult wait_and_perform(SyncObject& object, const Rule& rule, std::uint64_t site, Deadline deadline) override;
  bool draws_spurious_wake_up() override { return false; }
  bool sleep(SyncObject& object, const Step& wake_up, bool may_wake_spuriously, std::uint64_t site,
             Deadline deadline) override;
  std::uint32_t wake(SyncObject& object, std::uint32_t count, const Step& one, const Step& all,
                     std::uint64_t site) override;
  void note_arrival(BarrierRound& round, graph::EventId arrival, std::uint64_t site) override;
  bool is_serial(BarrierRound& round, bool arrived_last) override;
  void note_leave(SyncObject& barrier, BarrierRound& round, graph::EventId leave) override;
  void kernel_barrier(std::uint64_t site) override;
  std::uint32_t read_futex(std::uintptr_t address, std::uint64_t site) override;

 private:
  /// Twins (twin_threads.hpp) are told apart by the order in which they arrive.
  bool orders_arrivals() const { return bounds_.arrivals != 0 || bounds_.symmetry != 0; }
  StepResult arrive(SyncObject& barrier, const Rule& rule, std::uint64_t site);
  bool looks_at_result(std::uint64_t site) const;
  std::span<const graph::EventId> decisive_writes(const graph::Event& look, const graph::Event& change,
                                                  const Rule& rule);
  graph::EventId choose_write(std::span<const graph::EventId> candidates);
  std::span<const graph::EventId> exclusive_release(graph::EventId source);
  [[noreturn]] void block_for_good(SyncObject& object, const Rule& rule);

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  SearchParking& parking_;
  EventLog& log_;
  Decider& decider_;
  Atomics& atomics_;
  const Modules& modules_;
  ExecutionEnd& end_;
  strategies::SearchBounds bounds_;
  bool was_used_ = false;
  base::ArenaVector<graph::EventId> candidates_;   // scratch of decisive_writes
  base::ArenaVector<strategies::Option> options_;  // scratch of choose_write
};

}  // namespace heddle::engine
