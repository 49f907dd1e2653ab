// A strategy makes the decisions of executions. It sees choices, never fibers, and lives across executions. Every kind
// of decision goes through one function, so a trace is a list of indices, and recording, replaying and the check for
// uncontrolled nondeterminism are decorators around any strategy.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.hpp"
#include "graph/event.hpp"
#include "strategies/facets.hpp"

namespace heddle::strategies {

enum class ChoiceKind : std::uint8_t {
  thread,      ///< which thread runs next
  reads_from,  ///< which write a load or rmw takes; oldest first in modification order
  mo_slot,     ///< where a store goes in modification order; oldest first, the last is the newest
  spurious,    ///< does a weak compare-exchange fail, or a condition wait return, without a reason? no, yes
  timeout,     ///< does a timed wait end before it must? no, yes
  value,       ///< one of n values: __VERIFIER_nondet_* and similar functions
};

/// What a thread will do when it is chosen; known for every thread that can run, before it runs.
struct PendingOperation {
  graph::EventKind kind = graph::EventKind::start;
  graph::MemoryOrder order = graph::MemoryOrder::plain;
  std::uint8_t operation = 0;  ///< engine::Operation
  bool yields = false;         ///< sched_yield, sleep: a hint that other threads should run first
  graph::LocationId location = graph::no_location;
  bool waits = false;  ///< exhaustive search: in the present state the thread would wait for ever
  /// How often in a row the thread has come to a scheduling point that yields, this one included, without an event.
  std::uint32_t yields_in_a_row = 0;
};

/// Tells a search about steps of synchronisation objects, whose states are values in the graph.
class WaitingSteps {
 public:
  /// True if the operation that the thread is executing is a step that would wait in this state.
  virtual bool waits_in(graph::ThreadId thread, graph::Value state) const = 0;
  /// True if the operation that the thread is executing is a step.
  virtual bool is_step(graph::ThreadId thread) const = 0;

 protected:
  ~WaitingSteps() = default;
};

struct Option {
  graph::ThreadId thread = graph::no_thread;  ///< thread: the thread that runs, or that an internal step belongs to
  graph::EventId write = graph::no_event;     ///< reads_from: the write; thread: see is_internal_step()
  std::uint32_t number = 0;                   ///< mo_slot: the place; otherwise the option's own number
  const PendingOperation* pending = nullptr;  ///< thread: what happens if the option is taken

  /// An option of a thread choice that runs no thread: `write`, a buffered store of `thread`, reaches memory (see
  /// models::ModelState). Such options come after those that run threads.
  bool is_internal_step() const { return write != graph::no_event; }
  /// A number for what a thread choice chooses from: different for each thread, and for the store buffer of each
  /// thread.
  std::uint32_t actor() const { return actor_of(thread) + (is_internal_step() ? 1 : 0); }
  static constexpr std::uint32_t actor_of(graph::ThreadId thread) { return 2 * graph::number(thread); }
};

struct Choice {
  ChoiceKind kind;
  graph::ThreadId current;  ///< the thread that ran last (thread), or that executes the operation
  /// At least two, in an order that depends only on the execution so far.
  std::span<const Option> options;
  bool stores_are_immediate = false;                ///< see models::MemoryModel::stores_are_immediate
  const PendingOperation* going_on = nullptr;       ///< thread: what `current` would do, if it is one of the options
  graph::LocationId location = graph::no_location;  ///< reads_from, mo_slot: of the read or store
};

/// Does a strategy with FastPath::uniform choose uniformly between the threads? `going_on` as in Choice. A store may
/// keep its thread running, and a yield may end its turn, so the strategy decides those two itself.
inline bool is_uniform_thread_choice(const PendingOperation* going_on) {
  return going_on == nullptr || (going_on->kind != graph::EventKind::store && !going_on->yields);
}

enum class Outcome : std::uint8_t { completed, blocked, cut_off };

class Strategy;

/// Lets a driver skip work in one execution. Optional: the default makes every call.
struct FastPath {
  /// The calls that the strategy needs besides choose(). Most strategies need few of them at most events.
  /// Bit fields, so that one instruction copies them all.
  struct Calls {
    bool executed : 1 = true;
    bool end_execution : 1 = true;
    bool escapes : 1 = true;  ///< Adjustable::escapes()
    /// Not a call: the options of reads_from choices name their writes. Listing the writes takes time.
    bool write_names : 1 = false;
  };

  /// The strategy that decides. Decorators forward calls to it, so a driver may call it directly.
  Strategy* decider;
  /// Not null: the strategy makes uniform choices with this generator. These are every reads_from choice, and the
  /// thread choices for which is_uniform_thread_choice() holds. A driver may draw them itself instead of calling
  /// choose().
  base::Random* uniform = nullptr;
  Calls calls = {};
};

class Strategy {
 public:
  /// Called before every execution. `number` counts the executions of the whole campaign, over all workers; all random
  /// decisions derive from (seed, number). False: the strategy has no further execution to offer.
  virtual bool begin_execution(std::uint64_t number) = 0;
  /// The index of the option to take. Called only where there are at least two.
  virtual std::uint32_t choose(const Choice& choice) = 0;
  /// Called after every event, including those that needed no choice.
  virtual void executed(const graph::Event& event) { (void)event; }
  virtual void end_execution(Outcome outcome) { (void)outcome; }
  /// Called once an execution, after begin_execution.
  virtual FastPath fast_path() { return {.decider = this}; }
  /// Called outside executions.
  virtual Facets facets() { return {}; }

 protected:
  ~Strategy() = default;
};

}  // namespace heddle::strategies
