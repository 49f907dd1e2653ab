// A litmus test, ready to run: locations, threads as flat instruction lists, and the question that is asked
// of the final states.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/event.hpp"
#include "litmus/position.hpp"

namespace heddle::litmus {

inline constexpr std::uint32_t none = 0xffffffffU;

/// The integer types that C litmus tests use.
struct Type {
  std::uint8_t size = 4;
  bool is_signed = true;
};
/// `value` converted to this type, as C does.
std::int64_t convert(std::int64_t value, Type type);

struct LocationDeclaration {
  std::string name;
  Type type;
  std::int64_t initial = 0;
};

struct RegisterDeclaration {
  std::string name;  ///< empty: a temporary
  Type type;
  std::int64_t initial = 0;  ///< also the final value if it is never written
};

enum class Operator : std::uint8_t {
  constant,
  reg,
  add,
  subtract,
  multiply,
  bit_and,
  bit_or,
  bit_xor,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  negate,
  logical_not,
};

/// A node of an expression without side effects; children by index into Thread::expressions.
struct Expression {
  Operator op = Operator::constant;
  std::int64_t constant = 0;
  std::uint32_t first = none;  ///< reg: the register
  std::uint32_t second = none;
};

enum class RmwOperation : std::uint8_t { exchange, add, subtract, bit_and, bit_or, bit_xor };

/// Visible operations inside an expression become instructions of their own, which write temporary registers.
struct Instruction {
  enum class Kind : std::uint8_t { assign, branch_if_zero, jump, load, store, rmw, compare_exchange, fence };
  Kind kind = Kind::assign;
  graph::MemoryOrder order = graph::MemoryOrder::plain;
  graph::MemoryOrder failure_order = graph::MemoryOrder::plain;
  RmwOperation operation = RmwOperation::exchange;
  bool is_weak = false;
  /// A plain access to a location that no other thread names: it needs no scheduling decision.
  bool is_private = false;
  std::uint32_t destination = none;  ///< register: assign, load, rmw: the value; compare_exchange: did it succeed?
  std::uint32_t observed = none;     ///< register, compare_exchange: the value that was read
  std::uint32_t location = none;
  std::uint32_t offset = none;    ///< expression added to the location's address; must come out as 0
  std::uint32_t value = none;     ///< expression
  std::uint32_t expected = none;  ///< expression, compare_exchange
  std::uint32_t target = none;    ///< instruction, branch_if_zero and jump
  Position at;
};

struct Thread {
  std::vector<RegisterDeclaration> registers;
  std::vector<Expression> expressions;
  std::vector<Instruction> code;
};

/// A part of a final state: a register of a thread, or a location (thread == none).
struct Observable {
  std::uint32_t thread = none;
  std::uint32_t index = 0;
  std::string name;  ///< "0:r0" or "x"
};

/// A final state: the values of Test::observables, in their order.
using State = std::vector<std::int64_t>;

struct Proposition {
  enum class Kind : std::uint8_t { always, equals, conjunction, disjunction, negation };
  Kind kind = Kind::always;
  std::uint32_t observable = none;
  std::int64_t value = 0;
  std::vector<Proposition> parts;

  bool holds(const State& state) const;
};

enum class Quantifier : std::uint8_t { unasked, exists, not_exists, forall };

struct Test {
  std::string name;
  std::string description;
  std::vector<LocationDeclaration> locations;
  std::vector<Thread> threads;
  std::vector<Observable> observables;
  Quantifier quantifier = Quantifier::unasked;
  Proposition proposition;
  std::string condition;  ///< as the file has it: "exists (...)"

  /// "0:r0=1; x=2;", as herd7 prints a state.
  std::string describe(const State& state) const;
  /// Name and decimal value of each observable: what expectation files hold.
  std::map<std::string, std::string> as_map(const State& state) const;
};

}  // namespace heddle::litmus
