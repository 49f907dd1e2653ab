// Emulates the x86-64 code of the program between two calls of the runtime, on values that may be terms (terms.hpp).
// Nothing that the emulator does has an effect on the program. It executes what decode() (decoder.hpp) returns, as far
// as compilers use it in loops around atomic operations: moves, integer arithmetic, comparisons, jumps, calls. All
// other instructions it refuses.
#pragma once

#include <optional>

#include "machine/state.hpp"

namespace heddle::machine {

/// A function of the runtime that instrumented code calls.
struct EntryPoint {
  enum class Kind : std::uint8_t {
    ignored,         ///< has no effect on the program
    announces_read,  ///< of plain memory
    announces_write,
    load,                    ///< (address, order)
    store,                   ///< (address, value, order)
    modify,                  ///< (address, operand, order), returns the old value
    compare_exchange,        ///< (address, pointer to expected, desired, order, order)
    compare_exchange_value,  ///< (address, expected, desired, order, order), returns the old value
    fence,                   ///< (order)
    ends_program,            ///< does not return; `size` is the number of its arguments
  };
  std::uint64_t address = 0;
  Kind kind = Kind::ignored;
  std::uint8_t size = 0;  ///< of the access, in bytes
  std::int8_t sign = 0;   ///< modify: 1 adds the operand, -1 subtracts it, 0 does something else
  bool is_weak = false;   ///< compare_exchange: it may fail without a reason
};

/// Null if no entry point has the address.
const EntryPoint* find_entry(std::span<const EntryPoint> sorted_entries, std::uint64_t address);

/// Unknown conditions and what was assumed about them.
class Assumptions {
 public:
  enum class Relation : std::uint8_t { equal, less_unsigned, less_signed };
  static constexpr std::uint32_t most = 24, most_choices = 4;

  /// The condition is not chosen but given.
  void give(Relation relation, unsigned bits, Value a, Value b, bool holds);
  bool holds(Relation relation, unsigned bits, Value a, Value b);
  /// True if there were too many conditions.
  bool is_full() const { return count_ == most || choices_ > most_choices; }
  /// True if a condition was not given and not known.
  bool has_chosen() const { return choices_ != 0; }

  /// An unknown condition, and what was assumed about it.
  struct Assumption {
    Value a, b;
    Relation relation = Relation::equal;
    std::uint8_t bits = 0;
    bool holds = false;
  };
  std::span<const Assumption> all() const { return {list_, count_}; }

  /// Keeps what was given, for the next run with other choices. Returns false if all choices were made.
  bool next_choices();

 private:
  Assumption list_[most];
  std::uint32_t count_ = 0, given_ = 0;
  std::uint32_t choices_ = 0, made_ = 0;  ///< in this run; that the run has to repeat
  std::uint32_t script_ = 0;              ///< bits: the choices to repeat
};

class Emulator {
 public:
  enum class Stop : std::uint8_t {
    at_entry,
    outside,
    returned,  ///< from the function whose frame ends at the limit
    refused,
  };
  static constexpr std::uint64_t no_limit = ~std::uint64_t{0};

  Emulator(Terms& terms, const OuterMemory& memory, std::span<const EntryPoint> sorted_entries)
      : terms_(terms), memory_(memory), entries_(sorted_entries) {}

  /// Plain memory outside the stack: its value now, or an unknown value.
  void treat_memory_as_unknown(bool unknown) { memory_is_unknown_ = unknown; }
  /// True if the emulated code has read memory that is not constant.
  bool has_read_memory() const { return has_read_memory_; }

  /// Runs until the code enters an atomic operation of the runtime (at_entry) or leaves the program. The state is then
  /// that at the first instruction of the function. Stops also when a function returns and the stack pointer is above
  /// the limit.
  Stop run(State& state, Assumptions& assumptions, std::uint64_t limit = no_limit);
  /// One step of run(): an instruction, or a call of an entry point at which run() does not stop. Returns nothing if
  /// run() would continue.
  std::optional<Stop> advance(State& state, Assumptions& assumptions, std::uint64_t limit = no_limit);
  /// The entry point at the state's program counter. Null: none.
  const EntryPoint* entry(const State& state) const { return find_entry(entries_, state.counter); }
  /// Returns from the function at whose first instruction the state is.
  bool return_from_call(State& state, Value result);

  bool load(const State& state, std::uint64_t address, unsigned size, Value& value);
  bool store(State& state, Value address, unsigned size, Value value);

 private:
  bool execute(State& state, const Instruction& in);
  bool execute_branch(State& state, const Instruction& in);
  bool execute_unary(State& state, const Instruction& in);
  bool execute_shift(State& state, const Instruction& in);
  bool execute_vector(State& state, const Instruction& in);
  bool arithmetic(State& state, Operation operation, unsigned bits, Value a, Value b, Value& result);
  void set_logic_flags(State& state, unsigned bits, Value result);
  bool condition(State& state, unsigned code, bool& holds);
  bool push(State& state, Value value);
  bool pop(State& state, Value& value);
  bool jump(State& state, Value target);
  bool load_at(const State& state, Value address, unsigned size, Value& value);
  bool load_base(const State& state, std::uint64_t address, unsigned size, Value& value);
  bool assemble(const State& state, std::uint64_t address, unsigned size, Value& value);
  Value address_of(const State& state, const MemoryOperand& memory) const;
  bool read_operand(const State& state, const Instruction& in, const Operand& operand, Value& value);
  bool write_operand(State& state, const Instruction& in, const Operand& operand, Value value);
  bool write_register(State& state, const Operand& operand, Value value);
  bool read_vector(const State& state, const Instruction& in, const Operand& operand, Value (&value)[2]);
  bool write_vector(State& state, const Instruction& in, const Operand& operand, const Value (&value)[2]);
  bool pass_entry(State& state, const EntryPoint& entry);

  Terms& terms_;
  const OuterMemory& memory_;
  std::span<const EntryPoint> entries_;
  Assumptions* assumptions_ = nullptr;
  bool memory_is_unknown_ = false;
  bool has_read_memory_ = false;
  unsigned budget_ = 2000;  ///< instructions, all runs together
};

}  // namespace heddle::machine
