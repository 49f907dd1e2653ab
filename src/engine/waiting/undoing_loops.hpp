// Recognises iterations of a loop that undo what they did, for the exhaustive search: a lock that takes its share of a
// counter, finds that there was not enough, gives the share back and tries again.
//
//     while (left.fetch_sub(share) < share) left.fetch_add(share);
//
// The rule. A thread has added a number d to a location x, the result has sent it the way that undoes this
// (machine/result_ways.hpp), and it has added -d. Then it goes no further in this execution.
//
// What must hold for x, in every execution that the search visits:
//   1. x is changed by additions only, once other threads can access it.
//   2. The result of an addition to x is not used, or does nothing but choose between ways, one of which undoes the
//      addition. All additions that can be undone have the same sign; below, they subtract.
//   3. If a result r sends a thread a way that does not undo, every result above r, up to the largest value that x can
//      have, sends it the same way. The largest value is the initial one, if no thread ever adds more than it has
//      subtracted before; otherwise there is none.
//   4. No other operation reads x, unless all accesses of other threads to x happen before it, or their threads are
//      created after it.
// If an execution breaks one of these, the search begins again without the rule (strategies::SearchBounds::undone).
//
// Why this loses nothing. Take any execution E1 of the program. An iteration of E1 that is undone is a pair of
// additions a and b, perhaps with loads of x behind them. Delete all such iterations, of all threads. In what is left,
// each addition to x reads from the addition before it. The result E2 is an execution of the program:
//   - A thread that made such an iteration was in equivalent states before and after it.
//   - An addition c that is left found the value r in E1. In E2 it finds r minus the sum of the d of those pairs whose
//     a comes before c in modification order and whose b comes after it. This value is not below r, and not above the
//     largest value. If the result of c is not used, its thread does the same as before. Otherwise c was not undone in
//     E1, so by 3 its thread goes the same way. By 2 nothing else of the result is kept.
//   - By 4, no other operation could see the difference: when it reads x, no a is without its b.
// E2 is consistent if E1 is. Program order, modification order and from-reads are those of E1 without the deleted
// events. If c reads from w in E2, then in E1 it reads from w through deleted additions only. So w comes before c in
// modification order and in (po | rf)+. Additions are read-modify-writes, so c is in every release sequence that w is
// in, in E1, too, and synchronises with at least as much there. E2 has the same outcome as E1, no happens-before edge
// that E1 does not have, and so at least its races: there are no plain accesses in deleted iterations. Executions that
// end with an assertion may end in the middle of an iteration; the thread can add -d before.
//
// Why 1 to 4 need to be looked at only in visited executions. Let E1 break one of them. Cut E1 off before the first
// access that does so, let threads that are in the middle of an iteration add their -d, and delete iterations as above.
// The result is a part of an execution that the search visits, and in it the thread is about to make that access.
//
// Whether a thread is stopped depends on nothing but what the thread has read. So to the search, it is like a thread
// that blocks, and every execution of the remaining program is visited once.
//
// A thread that was stopped, if no thread can continue, waits for ever unless the newest value of x would send it
// another way: all that is left can only subtract and add again, and by 3 that sends no thread another way.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "engine/threads/program_thread.hpp"
#include "engine/waiting/program_memory.hpp"
#include "graph/execution_graph.hpp"
#include "machine/result_ways.hpp"

namespace heddle::engine {

class UndoingLoops {
 public:
  UndoingLoops(const graph::ExecutionGraph& graph, const Modules& modules, const Heap& heap, LocalState& local_state)
      : graph_(graph), memory_(modules, heap, local_state), terms_(scratch_) {}

  void set_entry_points(std::span<const machine::EntryPoint> entries) { entries_ = entries; }
  /// Memory for this object alone. Without it, no loop is recognised.
  void set_memory(std::span<std::byte> memory);
  bool has_memory() const { return scratch_.capacity() != 0; }
  void enable(bool enabled) { is_enabled_ = enabled; }

  /// The thread is about to add, and its retry window has noted with which registers and stack. Returns what is known
  /// of the use of the result, for graph::Event::use_of_result.
  std::uint16_t use_of_result(ProgramThread& thread);
  /// Whether the thread's newest events are an addition and another that undid it.
  bool has_undone(const ProgramThread& thread) const;
  /// The thread has undone an addition. Whether the newest value would send it another way.
  bool could_go_on(const ProgramThread& thread) const;
  /// Whether 1 to 4 above hold in the execution.
  bool is_exact(base::Arena& scratch) const;

 private:
  /// Values of Event::use_of_result. Others are places in kept_.
  static constexpr std::uint16_t unknown_use = 0, first_use = 1;
  static constexpr std::size_t most_kept = 1024;
  struct Kept {
    std::uint64_t key = 0;  ///< a hash of registers and stack; 0: the place is free
    machine::ResultWays ways;
    bool is_known = false;
    std::int64_t added = 0;
    std::uint32_t bits = 0;
  };
  /// What is to be known of a location for 1 to 4.
  struct Counter {
    graph::LocationId location;
    std::uint32_t bits = 0;
    bool subtracts = false;
    std::int64_t least = 0, most = 0;  ///< the values that it can have
  };

  const Kept& kept(std::uint16_t use) const { return kept_[use - first_use]; }
  void analyse(const RetryWindow::Read& addition, Kept& result);
  const graph::Event* undone_addition(const ProgramThread& thread) const;
  bool is_attempt(const graph::Event& event) const;
  bool is_counter(graph::LocationId location, base::Arena& scratch) const;
  bool set_range(Counter& counter, base::Arena& scratch) const;
  bool may_access(const Counter& counter, const graph::Event& event) const;
  bool is_apart(const graph::Event& event) const;

  const graph::ExecutionGraph& graph_;
  ProgramMemory memory_;
  std::span<const machine::EntryPoint> entries_;
  base::Arena scratch_;
  std::span<Kept> kept_;
  std::size_t kept_count_ = 0;
  bool is_enabled_ = true;
  bool can_undo_ = false;  ///< a kept addition can be undone
  machine::Terms terms_;
};

}  // namespace heddle::engine
