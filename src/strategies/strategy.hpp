// A strategy decides; it sees choices, never fibers, and lives across executions. Every kind of decision
// goes through one function, so a trace is a list of indices, and recording, replaying and the check for
// uncontrolled nondeterminism are decorators around any strategy.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/random.hpp"
#include "graph/event.hpp"

namespace heddle::strategies {

enum class ChoiceKind : std::uint8_t {
  thread,      ///< who runs next
  reads_from,  ///< which write a load or rmw takes; oldest first in modification order
  mo_slot,     ///< where a store goes in modification order; oldest first, the last is the newest
  spurious,    ///< does a weak compare-exchange fail, a condition wait wake for no reason? no, yes
  timeout,     ///< does a timed wait give up before it must? no, yes
  value,       ///< one of n values: __VERIFIER_nondet_* and the like
};

/// What a thread will do when it is chosen; known for every thread that can run, before it runs.
struct PendingOperation {
  graph::EventKind kind = graph::EventKind::start;
  graph::MemoryOrder order = graph::MemoryOrder::plain;
  std::uint8_t operation = 0;  ///< engine::Operation
  bool yields = false;         ///< sched_yield, sleep: the thread itself says that others should go first
  graph::LocationId location = graph::no_location;
  bool waits = false;  ///< exhaustive search: as things are, the thread would wait for good
};

struct Option {
  graph::ThreadId thread = graph::no_thread;  ///< thread
  graph::EventId write = graph::no_event;     ///< reads_from
  std::uint32_t number = 0;                   ///< mo_slot: the place; otherwise the option's own number
  const PendingOperation* pending = nullptr;  ///< thread
};

struct Choice {
  ChoiceKind kind;
  graph::ThreadId current;  ///< who ran last (thread), or whose operation this is
  /// At least two, in an order that depends only on the execution so far.
  std::span<const Option> options;
  bool stores_are_immediate = false;           ///< see models::MemoryModel::stores_are_immediate
  const PendingOperation* going_on = nullptr;  ///< thread: what `current` would do, if it is one of the options
};

/// Does a strategy with FastPath::uniform choose uniformly between the threads? `going_on` as in Choice. A store may
/// keep its thread running, and a yield may end its turn, so the strategy decides those two itself.
inline bool is_uniform_thread_choice(const PendingOperation* going_on) {
  return going_on == nullptr || (going_on->kind != graph::EventKind::store && !going_on->yields);
}

enum class Outcome : std::uint8_t { completed, blocked, cut_off };

class Portfolio;
class Strategy;

/// Lets a driver skip work in one execution. Optional: the default makes every call.
struct FastPath {
  /// The calls that the strategy needs besides choose(). Most strategies need few of them at most events.
  /// Bit fields, so that one instruction copies them all.
  struct Calls {
    bool about_to_execute : 1 = true;
    bool executed : 1 = true;
    bool is_abandoned : 1 = true;
    bool end_execution : 1 = true;
    bool escapes : 1 = true;
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
  /// Called before every execution. `number` counts the executions of the whole campaign, over all workers;
  /// whatever is random derives from (seed, number). False: the strategy has no further execution to offer.
  virtual bool begin_execution(std::uint64_t number) = 0;
  /// The index of the option to take. Called only where there are at least two.
  virtual std::uint32_t choose(const Choice& choice) = 0;
  /// Called once an execution, after begin_execution.
  virtual FastPath fast_path() { return {.decider = this}; }
  /// Called before every operation that a thread was scheduled for, also where it was the only thread that could
  /// run. Events without this call before them follow from the one before: nobody could have come between.
  virtual void about_to_execute(graph::ThreadId thread, const PendingOperation& operation) {
    (void)thread;
    (void)operation;
  }
  /// Called after every event, including those that needed no choice.
  virtual void executed(const graph::Event& event) { (void)event; }
  /// Asked after every event. True: the execution is of no use; the driver ends it, and does not count it.
  virtual bool is_abandoned() const { return false; }
  /// Asked when a thread waits in a loop for another value. True: in whatever follows from this execution it waits for
  /// ever, so nothing more is to be learnt; the driver ends it as blocked.
  virtual bool waits_for_ever(graph::ThreadId thread) const {
    (void)thread;
    return false;
  }
  virtual void end_execution(Outcome outcome) { (void)outcome; }
  /// A new thread runs the same code with the same argument as another one, its twin; no_thread: it has none.
  virtual void set_twin(graph::ThreadId thread, graph::ThreadId twin) {
    (void)thread;
    (void)twin;
  }
  /// How often so far, in all executions, a thread was taken for livelocked and another one put into its place.
  virtual std::uint64_t escapes() const { return 0; }
  /// Not null: the strategy draws from shares that the driver of the campaign may adjust.
  virtual Portfolio* portfolio() { return nullptr; }

 protected:
  ~Strategy() = default;
};

/// Where a specification such as "random:switch=0.1" is wrong.
struct SpecificationError {
  char text[256] = {};
};

/// Makes the strategy that `specification` (NAME[:key=value,...]) names, in `arena`; null, and the reason
/// in `error`, if it names none.
Strategy* make_strategy(std::string_view specification, std::uint64_t seed, base::Arena& arena,
                        SpecificationError& error);
/// "random, ...": for messages.
const char* strategy_names();

}  // namespace heddle::strategies
