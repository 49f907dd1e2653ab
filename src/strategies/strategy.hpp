// A strategy makes the decisions of executions. It sees choices, never fibers, and lives across executions. Every kind
// of decision goes through one function, so a trace is a list of indices, and recording, replaying and the check for
// uncontrolled nondeterminism are decorators around any strategy.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/random.hpp"
#include "graph/event.hpp"
#include "strategies/descriptor.hpp"
#include "strategies/thread_counts.hpp"

namespace heddle::graph {
class ExecutionGraph;
}

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
  graph::LocationId location = graph::no_location;  ///< mo_slot: of the store
};

/// Does a strategy with FastPath::uniform choose uniformly between the threads? `going_on` as in Choice. A store may
/// keep its thread running, and a yield may end its turn, so the strategy decides those two itself.
inline bool is_uniform_thread_choice(const PendingOperation* going_on) {
  return going_on == nullptr || (going_on->kind != graph::EventKind::store && !going_on->yields);
}

enum class Outcome : std::uint8_t { completed, blocked, cut_off };

/// What a strategy counted in one execution, for the learner.
struct Observation {
  std::uint32_t length = 0;                    ///< events that count for the parameter with Role::length; 0: not known
  std::span<const ThreadEvents> threads = {};  ///< of a strategy with StrategyDescriptor::learns_threads
};

struct Corpus;
struct CycleTable;
struct DetailRecord;
class PendingLabels;
class Portfolio;
class SiteNames;
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
  /// Sets the values of the parameters, in the order of the strategy's descriptor, from the next execution on. Every
  /// parameter has a value, except that a parameter with Role::length may be unknown.
  virtual void set_parameters(const ParameterValues& values) { (void)values; }
  /// Called once, before the first execution, with the graph that all executions use: it has the names of threads.
  virtual void set_graph(const graph::ExecutionGraph& graph) { (void)graph; }
  /// Called once, before the first execution, if the descriptor says learns_threads. The averages change between
  /// executions, when a round ends.
  virtual void set_thread_averages(const ThreadAverages& averages) { (void)averages; }
  /// Called once, before the first execution, if the descriptor says uses_corpus. The corpus changes between
  /// executions, when a round ends. `sites` names the sites of events.
  virtual void set_corpus(Corpus& corpus, const SiteNames& sites) {
    (void)corpus;
    (void)sites;
  }
  /// Called once, before the first execution, if executions are directed to predicted cycles. `labels` tells where the
  /// threads are. Both outlive the strategy.
  virtual void set_cycles(const CycleTable& cycles, PendingLabels& labels) {
    (void)cycles;
    (void)labels;
  }
  /// Called before every execution. `number` counts the executions of the whole campaign, over all workers; all random
  /// decisions derive from (seed, number). False: the strategy has no further execution to offer.
  virtual bool begin_execution(std::uint64_t number) = 0;
  /// The index of the option to take. Called only where there are at least two.
  virtual std::uint32_t choose(const Choice& choice) = 0;
  /// Called once an execution, after begin_execution.
  virtual FastPath fast_path() { return {.decider = this}; }
  /// Called before every operation that a thread was scheduled for, also if it was the only thread that could run. An
  /// event without this call belongs to the operation before it: no other thread can run between the two.
  virtual void about_to_execute(graph::ThreadId thread, const PendingOperation& operation) {
    (void)thread;
    (void)operation;
  }
  /// Called after every event, including those that needed no choice.
  virtual void executed(const graph::Event& event) { (void)event; }
  /// Called after every event. True: the strategy has no use for the execution; the driver ends it, and does not count
  /// it.
  virtual bool is_abandoned() const { return false; }
  /// Called before every operation, after about_to_execute(). True: the strategy repeats a trace, and the program met
  /// another choice than the trace has. The driver ends the execution; what it found so far counts.
  virtual bool has_left_trace() const { return false; }
  /// Called when a thread waits in a loop for another value. True: it waits for ever in every continuation of this
  /// execution; the driver ends the execution as blocked.
  virtual bool waits_for_ever(graph::ThreadId thread) const {
    (void)thread;
    return false;
  }
  virtual void end_execution(Outcome outcome) { (void)outcome; }
  /// Called for a new thread. Its twin is an older thread that runs the same code with the same argument, or no_thread.
  virtual void set_twin(graph::ThreadId thread, graph::ThreadId twin) {
    (void)thread;
    (void)twin;
  }
  /// Called once after an execution whose results are learnt.
  virtual Observation observation() { return {}; }
  /// The options that choices took in the newest execution and that its graph does not show, for its recording, as far
  /// as the strategy knows them.
  virtual std::span<const DetailRecord> details() const { return {}; }
  /// How many events the plan of the newest execution had; 0: there was no plan.
  virtual std::size_t planned_events() const { return 0; }
  /// How often so far, in all executions, the strategy took a thread for livelocked and ran another one.
  virtual std::uint64_t escapes() const { return 0; }
  /// Not null: the strategy learns; the driver of the campaign sets its plan before each round.
  virtual Portfolio* portfolio() { return nullptr; }

 protected:
  ~Strategy() = default;
};

}  // namespace heddle::strategies
