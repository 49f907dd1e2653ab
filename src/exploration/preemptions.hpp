// The number of preemptions of an execution graph: the smallest that an order of execution with this graph can have.
//
// An order of execution is a total order of the events that contains program order, reads-from and the edges from
// create to start and from finish to join. Under sequential consistency it also contains modification order and
// from-read; under other models a read may take an older write at any time, which costs nothing. Where the order goes
// from a thread to another one, that is a preemption if the thread has a further event in the graph that is not a step
// that can wait: a lock, a join, the start of a thread. Such a step may have to wait, and then the scheduler has no
// choice. (Musuvathi and Qadeer, Iterative context bounding for systematic testing of multithreaded programs, PLDI
// 2007, bound these switches.)
//
// If events at the ends of threads are taken away, the number does not grow: the order without them is an order of the
// smaller graph, each of its switches is one of the larger graph, and the thread's next event is the same or none.
#pragma once

#include "base/arena.hpp"
#include "exploration/step.hpp"

namespace heddle::exploration {

enum class ExecutionOrders : std::uint8_t {
  program_and_reads,  ///< orders that contain po and rf
  sequential,         ///< orders that also contain mo and fr
};

/// The number of preemptions of the graph, or `most + 1` if it is larger than `most`.
std::uint64_t least_preemptions(Steps steps, ExecutionOrders orders, std::uint64_t most, base::Arena& scratch);

}  // namespace heddle::exploration
