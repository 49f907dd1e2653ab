// Recognises iterations of a loop that the thread could have left out, for the exhaustive search: a
// compare-exchange that failed and reloaded its expected value, or a loop that loads again what it loaded before.
//
// The rule. The thread has performed reads e_1 ... e_k in a row, without an effect in between, where e_k read value v
// at some location. It is about to perform its next atomic operation, in state s. If an earlier read e_j of the same
// location, had it returned v, would have brought the thread to an equivalent state, then the thread goes no further in
// this execution.
//
// Why this loses nothing. Take any execution E1 in which the thread continues from s. Delete the events e_j ... e_k-1,
// and let e_k be e_j. The result E2 is an execution of the program: e_j returned v, so the thread came to a state that
// is equivalent to s, and does from there what it does in E1. No other thread can tell the difference, since the
// deleted events are reads. E2 is consistent if E1 is: the relations of the axioms are unions and compositions of po,
// rf, mo and what follows from them, so deleting events takes edges away and adds none. For this e_j must not
// synchronise more than e_k does: its memory order is not stronger, and it is a compare-exchange only if e_k is one. E2
// has fewer events than E1. So either no thread of E2 is stopped by this rule, and the search visits E2, or the
// argument applies to E2 again.
//
// Whether the rule applies depends on nothing but what the thread has read. So to the search, a thread that is stopped
// is like a thread that blocks, and every execution of the remaining program is still visited once.
//
// To find out what the thread would have done, the program's machine code is emulated from a copy of the registers and
// the stack at e_j, with v as the result (machine/emulator.hpp). Equivalence is that of machine/equivalence.hpp. Plain
// writes between e_j and now are allowed if the emulated iteration makes them, too, with the same values. Plain
// accesses outside the stack must be those of the emulated iteration, or their races with events that follow from what
// the thread does later would be lost.
//
// Spurious failures. A weak compare-exchange e_k may fail although it reads the expected value. This is not explored if
// it has no effect: the next atomic operation after the failure is one that the thread has come to in an equivalent
// state before, as e_j, with nothing but reads since. e_j may be e_k itself.
//
// Why this loses nothing. Take any execution E1 in which e_k fails spuriously. Delete e_j ... e_k. The result E2 is an
// execution of the program, since the thread continues from an equivalent state. It is consistent, as above: the
// deleted events are reads. Plain writes of the deleted iteration are allowed if all that follows e_j overwrites them
// before it reads them. E2 has fewer spurious failures than E1, so the argument ends.
//
// Races are not lost either. Let p be a plain access of the deleted iteration that races with an access a in E1.
// - p comes after e_k. Then the thread has made the same access before, with nothing but reads in between. That one
//   races with a, too: no release is between the two.
// - p comes before e_k, and a is not (po | rf)-after e_k. Then p and a race in an execution without e_k.
// - p comes before e_k, and a is (po | rf)-after e_k. If e_j is e_k, E2 contains p. Otherwise e_j is a read whose order
//   is not weaker than that of e_k, as long as there is such a p. If the thread, as e_j, next reads the value that it
//   read before, it makes the same access again. If not, e_k can also fail because it reads the write that the
//   thread reads next. So a failure with a reason shows the race.
//
// Spurious failures with an effect have a bound, strategies::SearchBounds::weak: a loop could fail for ever.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "engine/threads/caller_registers.hpp"
#include "engine/threads/program_thread.hpp"
#include "engine/waiting/program_memory.hpp"
#include "graph/execution_graph.hpp"
#include "machine/equivalence.hpp"

namespace heddle::engine {

class RetryLoops {
 public:
  RetryLoops(base::Arena& execution_arena, const graph::ExecutionGraph& graph, const Modules& modules, const Heap& heap,
             LocalState& local_state)
      : execution_arena_(execution_arena), graph_(graph), memory_(modules, heap, local_state), terms_(scratch_) {}

  /// The functions of the runtime that the program calls, sorted by address.
  void set_entry_points(std::span<const machine::EntryPoint> entries) { entries_ = entries; }
  /// Memory for this object alone. Without it, no loop is recognised.
  void set_memory(std::span<std::byte> memory);
  bool has_memory() const { return scratch_.capacity() != 0; }

  /// The thread is about to read, with these registers; `registers` is null if they are not known. Returns true if the
  /// thread need not continue: see above.
  bool need_not_go_on(ProgramThread& thread, const CallerRegisters* registers);
  /// The thread is about to make the operation that it noted last. Whether that is a weak compare-exchange whose
  /// spurious failure would have no effect: see above.
  bool would_fail_in_vain(ProgramThread& thread);
  /// What the last calls of the two functions above have read of memory that is not constant: their results depend on
  /// that.
  std::span<const ProgramMemory::Read> looks() const { return {looks_, look_count_}; }
  /// False: it has read more than looks() tells.
  bool has_noted_all_looks() const { return has_noted_all_looks_; }
  /// Notes the read for need_not_go_on() of later reads. Returns false if nothing is known of it.
  bool note(ProgramThread& thread, const CallerRegisters* registers);
  /// The state at the first instruction of the entry point that performs the read.
  static void set_state(machine::State& state, const RetryWindow::Read& read);
  /// A hash of registers and stack.
  static std::uint64_t hash_of(RetryWindow::Read& read);
  /// A hash of what need_not_go_on() knows of the thread's earlier reads, but for their values.
  std::uint64_t hash_of_window(const ProgramThread& thread) const;
  /// A hash of the operands, other than the address, that the operation was called with. 0 if they are not known.
  std::uint64_t hash_of_operands(const CallerRegisters* registers) const;

 private:
  /// What an emulated iteration shows.
  enum class Iteration : std::uint8_t {
    differs,         ///< it comes to another state: this depends on its first read, the value, and the state now
    not_understood,  ///< it comes to the state, but what the thread really did in between is not known
    comes_here,
  };
  /// The result of an emulation, which depends on nothing but registers, stacks and these values in memory.
  struct Known {
    std::uint64_t key = 0;
    ProgramMemory::Read reads[ProgramMemory::most_reads];
    std::uint32_t read_count = 0;
    bool result = false;
  };
  /// Null: the result of this key is not known, for the values that memory has now.
  const Known* find_known(std::uint64_t key) const;
  /// Keeps the result, with what was read of memory since forget_reads().
  void keep(std::uint64_t key, bool result);
  static constexpr std::size_t known_size = 4096;
  void keep_looks(std::span<const ProgramMemory::Read> reads);

  void add(ProgramThread& thread, const CallerRegisters& registers);
  const graph::Event* event_of(const ProgramThread& thread, const RetryWindow::Read& read) const;
  bool would_come_here(const ProgramThread& thread, std::uint32_t from, const graph::Event& newest);
  Iteration emulate_iteration(const ProgramThread& thread, std::uint32_t from, std::uint64_t value,
                              bool memory_is_unknown, bool& has_read_no_memory);
  bool understands(const ProgramThread& thread, std::uint32_t read, machine::Emulator& emulator,
                   const machine::State& instead);
  bool makes_accesses_of(const ProgramThread& thread, std::uint32_t read, machine::Emulator& emulator,
                         const machine::State& instead);
  bool drop_outer_stores(const ProgramThread& thread, std::uint32_t from, machine::State& state) const;
  bool emulate_from(const RetryWindow::Read& read, std::uint64_t value, machine::Emulator& emulator,
                    machine::State& state, machine::Assumptions& assumptions);
  static bool has_written_outside(const ProgramThread& thread, std::uint32_t first);

  // ---- spurious_failures.cpp ----------------------------------------------------------------------------------
  struct Failure;
  bool comes_back_to(const ProgramThread& thread, std::uint32_t from);
  std::uint64_t key_of_failure(const ProgramThread& thread, std::uint32_t from) const;
  bool emulate_failure(const ProgramThread& thread, std::uint32_t from, bool memory_is_unknown);
  bool fail(const ProgramThread& thread, std::uint32_t from, machine::Emulator& emulator, machine::State& state);
  void drop_unchanged_stores(const ProgramThread& thread, std::uint32_t from, machine::State& state) const;
  bool add_accesses(const ProgramThread& thread, std::uint32_t read, Failure& failure);
  bool has_same_accesses(const ProgramThread& thread, std::uint32_t from, Failure& failure);

  base::Arena& execution_arena_;
  const graph::ExecutionGraph& graph_;
  ProgramMemory memory_;
  std::span<const machine::EntryPoint> entries_;
  base::Arena scratch_;
  std::span<Known> known_;
  static constexpr std::uint32_t most_looks = 16;
  ProgramMemory::Read looks_[most_looks];
  std::uint32_t look_count_ = 0;
  bool has_noted_all_looks_ = true;
  machine::Terms terms_;
};

}  // namespace heddle::engine
