// Fibers of the program, which it announces by __tsan_create_fiber() and __tsan_switch_to_fiber(). Each is a thread of
// its own to the race detector and to the scheduler, although the program itself moves from stack to stack.
//
// A fiber is a ProgramThread that is dormant until the program switches to it. Then it is the current thread in place
// of the one that the program has left, which is dormant from then on. What belongs to the thread of the system, such
// as thread-local storage and values of keys, goes over to the fiber. A switch adds no scheduling choice.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class FindingSink;

class ProgramFibers {
 public:
  ProgramFibers(base::Arena& execution_arena, graph::ExecutionGraph& graph, ThreadTable& threads, Scheduler& scheduler,
                EventLog& log, FindingSink& findings, ExecutionEnd& end)
      : execution_arena_(execution_arena), graph_(graph), threads_(threads), scheduler_(scheduler), log_(log),
        findings_(findings), end_(end) {}

  void configure(const ExecutionPolicy& policy) { is_search_ = policy.keeps_objects_in_graph; }
  void begin_execution() { unused_.forget(); }

  /// A new fiber. What it does comes after its creation.
  ProgramThread& create(std::uint64_t site);
  /// The fiber is not switched to any more.
  void destroy(ProgramThread& fiber, std::uint64_t site);
  /// The program continues as the fiber. If the switch synchronises, what was done before it comes before what the
  /// fiber does from now on.
  void switch_to(ProgramThread& fiber, bool synchronises, std::uint64_t site);
  /// The fiber or thread at the address, null if there is none.
  ProgramThread* find(const void* address) const;

 private:
  graph::EventId release(std::uint64_t site);
  void acquire(graph::EventId released, std::uint64_t site);

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  EventLog& log_;
  FindingSink& findings_;
  ExecutionEnd& end_;
  base::ArenaVector<ProgramThread*> unused_;  ///< fibers that were destroyed; new ones take their places
  bool is_search_ = false;
};

}  // namespace heddle::engine
