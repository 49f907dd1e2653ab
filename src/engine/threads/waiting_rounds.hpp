// Rounds of loops that wait (waiting_loop.hpp) may contain operations that write, under the exhaustive search.
//
// The rule. A thread has come back to a place where it was before, in the same local state. In between it has performed
// nothing but
//   - reads;
//   - pairs of steps that lock a mutex and unlock it again;
//   - stores: each wrote the value, with the size and memory order, of the thread's last write to the location, which
//     was a store, too.
// Then the thread goes no further in this execution.
//
// What must hold, in every execution in which a thread is stopped by this rule:
//   1. No thread gives up locking a mutex that the round locks (trylock, timed lock).
//   2. Let s be a store of the round, and f the write that it repeats. Every write of another thread to the location
//      happens before f, or s happens before it.
// If an execution breaks one of these, the search begins again without the rule (strategies::SearchBounds::undone).
//
// Why this loses nothing. Take any execution E1 of the program. Delete the rounds of all threads that returned to an
// earlier state. A lock that reads from a deleted unlock reads from the unlock before the deleted lock: while a thread
// holds a mutex, no other thread changes it, so the pair is contiguous in modification order. A read of a deleted store
// s reads from f: by 2, no write is between the two in modification order, and their values are equal. The result E2 is
// an execution of the program: threads continue from the same states, and all reads that are left take the same values.
// A thread that waits for a mutex, or gives up, might have read from a deleted lock; the former continues in E1 when it
// reads from an unlock, and 1 excludes the latter.
//
// E2 is consistent if E1 is. Each new rf edge of E2 goes from f, or from the unlock before the pair, to a read r. In E1
// there is a path of po, mo and rf between the same events, with the same place in modification order. f does not
// synchronise more than s, since their memory orders are equal, and pairs of steps synchronise with the step before
// them and the step behind them. So every happens-before edge of E2 is one of E1. Hence E2 has the outcome of E1, and
// the races of E1 between accesses that are left. A race with a plain read of a deleted round is met in the execution
// in which the thread is stopped after that round, unless it follows from what the thread does later (exhaustive.md).
//
// Why 1 and 2 need to be looked at only in executions in which a thread is stopped. Let E1 break one of them, by a
// round that the thread continues after. Cut E1 off before the first operation of another thread that does so, and
// delete all rounds but this one. The search visits an execution that begins like that: the thread is stopped after
// the round, and the other thread is about to perform the operation.
//
// Whether a thread is stopped depends on nothing but what the thread has read. So to the search, it is like a thread
// that blocks.
#pragma once

#include <cstdint>

#include "graph/execution_graph.hpp"

namespace heddle::engine {

/// Whether the event, the newest that was performed of its thread, is a store that repeats the thread's last write to
/// the location.
bool repeats_own_store(const graph::ExecutionGraph& graph, const graph::Event& event);

/// Whether the thread's round, whose events have indices above `begin`, contains operations that write.
bool has_writes(const graph::ExecutionGraph& graph, graph::ThreadId thread, std::uint32_t begin);

/// Whether 1 and 2 above hold for a round after which the thread was stopped.
bool is_exact_round(const graph::ExecutionGraph& graph, graph::ThreadId thread, std::uint32_t begin);

}  // namespace heddle::engine
