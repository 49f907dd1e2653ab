// Whether two states of a thread, both at the begin of an atomic operation, are equivalent: from either of them the
// thread performs the same atomic operations with the same operands, makes the same plain accesses, and leaves the
// program in the same state, whatever the atomic operations return.
//
// Both states are emulated side by side, with symbols for what the operations return and with both answers to every
// question that depends on them, until they are the same in all that a later instruction can read. Compilers make two
// copies of a loop's head, and leave old values in registers and stack frames: such states differ, but only for a
// while. If the states do not become the same after a few operations, the answer is no. So "yes" is a proof, "no" is
// not.
//
// A loop may keep an old value for ever. Then a pair of states comes back that was met before, with other symbols. What
// was shown for the first pair was shown for all values of its symbols, and the second pair is the first one with
// certain values, so it may be taken for granted (coinduction: there is an atomic operation between the two).
//
// Why an unknown address cannot be that of a stack variable that differs: another thread can know the address of a
// variable only if it escapes. The compiler announces the writes to such variables, and announced writes must agree.
#pragma once

#include "machine/emulator.hpp"

namespace heddle::machine {

class Equivalence {
 public:
  Equivalence(Emulator& emulator, Terms& terms, const OuterMemory& memory, base::Arena& scratch)
      : emulator_(emulator), terms_(terms), memory_(memory), scratch_(scratch) {}

  /// Other threads may see this memory, which may be on the stack: it must be the same at every operation.
  void watch(std::uint64_t address, std::uint64_t size);
  /// Both states are at the first instruction of an entry point.
  bool holds(const State& a, const State& b);
  /// Both states are at a load. Whether they are equivalent although memory that is watched, or outside the stack,
  /// differs: what differs is overwritten before the next atomic operation.
  bool holds_after_load(const State& a, const State& b);
  /// Both states were run from one state, after its operation had returned two results, and stopped for this reason:
  /// whether it does not matter which of the results it was.
  bool holds_after(const State& a, const State& b, Emulator::Stop stop);
  /// Whether memory of this range is the same in both.
  bool memory_agrees(const State& a, const State& b, std::uint64_t address, std::uint64_t size);

 private:
  static constexpr unsigned most_pairs = 12, most_depth = 5;
  static constexpr std::size_t most_differences = 64, most_watched = 12;

  bool list_differences(const State& a, const State& b);
  bool explore(const State& a, const State& b, unsigned depth);
  bool explore_outcome(const State& a, const State& b, const EntryPoint& entry, bool succeeds, unsigned depth);
  bool apply(State& state, const EntryPoint& entry, bool succeeds, Value value);
  bool compare_after(const State& a, const State& b, Emulator::Stop stop, unsigned depth);
  bool same_operation(const State& a, const State& b) const;
  bool same_state(const State& a, const State& b);
  bool same_registers(const State& a, const State& b) const;
  bool run_both(State& a, State& b, Assumptions& assumptions, unsigned depth);
  bool shared_memory_agrees(const State& a, const State& b);
  bool is_instance(const State& general, const State& particular, Substitution& substitution);
  bool same_word(const State& a, const State& b, std::uint64_t address);
  /// The registers that have no influence, where both states are at the same operation: a bit for each of `preserved`.
  std::uint32_t dead_registers(const State& a, const State& b);

  Emulator& emulator_;
  Terms& terms_;
  const OuterMemory& memory_;
  base::Arena& scratch_;
  std::uint64_t differences_[most_differences] = {};  ///< words of the stack that differ without emulated stores
  std::size_t difference_count_ = 0;
  struct Range {
    std::uint64_t address, size;
  };
  Range watched_[most_watched] = {};
  std::size_t watched_count_ = 0;
  bool watches_all_ = true;  ///< false: there were more
  unsigned pairs_ = 0;
  struct Pair {
    const State *a, *b;
  };
  Pair path_[most_depth + 1] = {};  ///< the pairs that lead to the current one
};

}  // namespace heddle::machine
