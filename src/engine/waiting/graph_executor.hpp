// Performs steps of synchronisation primitives in the execution graph (sync_executor.hpp), for a search. Everything
// that decides must be in the graph. So an object is a location, and a step is a read-modify-write, or a read if it
// leaves the state as it is.
//
// A thread whose step would wait is scheduled after all others (SearchParking). So a step that waits becomes an event
// only if no thread can continue. Then it blocks its thread for the rest of the execution: that it reads another state
// is another execution, which the search visits (exploration/exploration.hpp).
//
// Barriers. The order in which threads arrive at a barrier is not a part of the graph: an arrival is an event that
// accesses no memory, and a thread that leaves synchronises with all arrivals of its round. This is exact if no more
// threads use the barrier than have to arrive. Then every round consists of one arrival of each of them, whatever the
// order, since a thread cannot arrive twice in one round. With more threads, the order decides who meets whom: the
// search ends, and begins again with the parameter `arrivals` (strategies::SearchBounds), with which an arrival is a
// read-modify-write. No execution is missed without this, because a thread can arrive in every state.
//
// One thread of a round learns that it is the serial one, and any thread may be (POSIX). If the program does not look
// at what its calls return (machine/register_use.hpp), there is nothing to choose. Otherwise the thread with the
// lowest number chooses one of the threads that look, or that it is none of them if another thread does not look. It
// leaves first, and the others synchronise with that. They learn nothing by this that they do not learn from the
// arrivals, for the thread has done nothing since it arrived.
//
// Reader-writer locks. The order in which threads share a lock is not a part of the graph. The lock consists of several
// locations: one that writers lock first, and parts. A thread that shares the lock does so in one part, which its
// number determines. A writer locks the first location and then every part, and unlocks the parts and then the first
// location. So readers of different parts have no order, and a writer has one with each of them.
//
// This is exact. Let G be an execution graph in which every call is complete. The calls of G can be executed one after
// the other. For no event but those of the writer itself reads what the writer writes when it locks, since other
// threads wait; so all of a writer's steps can be delayed to its last one. And no event but those of the writer itself
// is read by the steps by which it unlocks; so they can be executed at once. In this order G is an execution with a
// lock of one location. On the other hand, every such execution is one of this kind. Happens-before is the same:
// readers learn of the last writer before them, which was in their part, and a writer learns of all threads before it.
//
// A graph in which a thread waits for ever may have a writer in the middle of its call (SyncObject::is_claimed). In
// reality it has not begun. So a reader that waits for such a writer only is not deadlocked: there is another graph in
// which it comes first. If no such reader waits, the graph shows a deadlock: the writer waits for a thread that shares
// the lock. Every deadlock is shown, because a writer that waits can go as far as in these graphs, and this lets no
// other thread continue.
//
// Other calls could tell a writer that is in the middle of its call from one that waits: calls that try, for some time
// or not, and a thread that unlocks for another one. If the program makes one, the search begins again with the
// parameter `readers`, with which the lock is one location. No execution is missed without this: a thread can try in
// every state.
//
// A lock that prefers writers is one location from the beginning: whether a thread shares it before or after a writer
// has announced itself decides whether it waits for the writer.
#pragma once

#include "engine/isolation/modules.hpp"
#include "engine/memory/atomics.hpp"
#include "engine/memory/object_table.hpp"
#include "engine/operations/sync_executor.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/waiting/search_parking.hpp"

namespace heddle::engine {

class GraphExecutor final : public SyncExecutor {
 public:
  GraphExecutor(const ExecutionParts& execution, const Modules& modules, Scheduler& scheduler, SearchParking& parking,
                EventLog& log, Atomics& atomics, ObjectTable& objects)
      : execution_arena_(execution.arena), graph_(execution.graph), threads_(execution.threads), scheduler_(scheduler),
        parking_(parking), log_(log), decider_(execution.decider), atomics_(atomics), objects_(objects),
        modules_(modules), end_(execution.end) {}

  /// `wakes_spuriously`: a wait for a condition variable may be over for no reason.
  void configure(const strategies::SearchBounds& bounds, bool wakes_spuriously) {
    bounds_ = bounds;
    wakes_spuriously_ = wakes_spuriously;
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
  bool draws_spurious_wake_up(const SyncObject&, std::uint64_t) override { return false; }
  bool sleep(SyncObject& object, const Step& wake_up, bool may_wake_spuriously, std::uint64_t site,
             Deadline deadline) override;
  std::uint32_t wake(SyncObject& object, std::uint32_t count, const Step& one, const Step& all,
                     std::uint64_t site) override;
  void add_arrival(BarrierRound& round, graph::EventId arrival, std::uint64_t site) override;
  bool is_serial(BarrierRound& round, bool arrived_last) override;
  void add_leave(SyncObject& barrier, BarrierRound& round, graph::EventId leave) override;
  void kernel_barrier(std::uint64_t site) override;
  std::uint32_t read_futex(const SyncObject& futex, std::uint64_t site) override;

 private:
  /// Twins (twin_threads.hpp) are told apart by the order in which they arrive.
  bool orders_arrivals() const { return bounds_.arrivals != 0 || bounds_.symmetry != 0; }
  bool orders_readers() const { return bounds_.readers != 0 || bounds_.symmetry != 0; }
  StepResult perform_store(SyncObject& object, const Rule& rule, std::uint64_t site);
  StepResult perform_step(SyncObject& object, const Rule& rule, std::uint64_t site);
  void mark_change(const SyncObject& object, const Step& step, graph::Value before, graph::Value after);
  StepResult perform_in_parts(SyncObject& lock, const Rule& rule, std::uint64_t site);
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
  ObjectTable& objects_;
  const Modules& modules_;
  ExecutionEnd& end_;
  strategies::SearchBounds bounds_;
  bool wakes_spuriously_ = true;
  bool was_used_ = false;
  base::ArenaVector<graph::EventId> candidates_;   // scratch of decisive_writes
  base::ArenaVector<strategies::Option> options_;  // scratch of choose_write
};

}  // namespace heddle::engine
