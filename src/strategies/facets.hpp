// The optional parts of a strategy. A strategy inherits those that it needs, and returns them from Strategy::facets().
// Decorators return the facets of the strategy that they decorate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/event.hpp"
#include "strategies/descriptor.hpp"
#include "strategies/thread_counts.hpp"

namespace heddle::graph {
class ExecutionGraph;
}

namespace heddle::strategies {

struct Corpus;
struct CycleTable;
struct DetailRecord;
struct PendingOperation;
class PendingLabels;
class Portfolio;
class SiteNames;

/// Reads the events so far.
class GraphReader {
 public:
  /// Called once, before the first execution, with the graph that all executions use: it has the names of threads.
  virtual void set_graph(const graph::ExecutionGraph& graph) = 0;

 protected:
  ~GraphReader() = default;
};

/// What a strategy counted in one execution, for the learner.
struct Observation {
  std::uint32_t length = 0;                    ///< events that count for the parameter with Role::length; 0: not known
  std::span<const ThreadEvents> threads = {};  ///< of a strategy with StrategyDescriptor::learns_threads
};

/// Has parameters, which `auto` may learn.
class Adjustable {
 public:
  /// Sets the values of the parameters, in the order of the strategy's descriptor, from the next execution on. Every
  /// parameter has a value, except that a parameter with Role::length may be unknown.
  virtual void set_parameters(const ParameterValues& values) { (void)values; }
  /// Called once, before the first execution, if the descriptor says learns_threads. The averages change between
  /// executions, when a round ends.
  virtual void set_thread_averages(const ThreadAverages& averages) { (void)averages; }
  /// Called once after an execution whose results are learnt.
  virtual Observation observation() { return {}; }
  /// How often so far, in all executions, the strategy took a thread for livelocked and ran another one.
  virtual std::uint64_t escapes() const { return 0; }

 protected:
  ~Adjustable() = default;
};

/// Continues earlier executions.
class CorpusUser {
 public:
  /// Called once, before the first execution. The corpus changes between executions, when a round ends. `sites` names
  /// the sites of events.
  virtual void set_corpus(Corpus& corpus, const SiteNames& sites) = 0;
  /// The options that choices took in the newest execution and that its graph does not show, for its recording, as far
  /// as the strategy knows them.
  virtual std::span<const DetailRecord> details() const = 0;
  /// How many events the plan of the newest execution had; 0: there was no plan.
  virtual std::size_t planned_events() const = 0;
  /// How many events of the newest execution are those of the execution that it continued, in the same order.
  virtual std::size_t inherited_events() const = 0;

 protected:
  ~CorpusUser() = default;
};

/// Directs executions to predicted cycles.
class CycleFollower {
 public:
  /// Called once, before the first execution, if there are cycles. `labels` tells where the threads are. Both outlive
  /// the strategy.
  virtual void set_cycles(const CycleTable& cycles, PendingLabels& labels) = 0;

 protected:
  ~CycleFollower() = default;
};

/// Controls an execution step by step, as searches and replays do.
class ExecutionControl {
 public:
  /// Called before every operation that a thread was scheduled for, also if it was the only thread that could run. An
  /// event without this call belongs to the operation before it: no other thread can run between the two. Returns false
  /// if the strategy repeats a trace, and the program met another choice than the trace has: the driver ends the
  /// execution, and what it found so far counts.
  virtual bool about_to_execute(graph::ThreadId thread, const PendingOperation& operation) {
    (void)thread;
    (void)operation;
    return true;
  }
  /// Called after every event. True: the strategy does not need the execution. The driver ends it without
  /// counting it.
  virtual bool is_abandoned() const { return false; }
  /// Called when a thread waits in a loop for another value. True: it waits for ever in every continuation of this
  /// execution; the driver ends the execution as blocked.
  virtual bool waits_for_ever(graph::ThreadId thread) const {
    (void)thread;
    return false;
  }
  /// Called for a new thread. Its twin is an older thread that runs the same code with the same argument, or no_thread.
  virtual void set_twin(graph::ThreadId thread, graph::ThreadId twin) {
    (void)thread;
    (void)twin;
  }

 protected:
  ~ExecutionControl() = default;
};

/// Null: the strategy is none of that kind. The pointers do not change while the strategy lives.
struct Facets {
  GraphReader* graph_reader = nullptr;
  Adjustable* adjustable = nullptr;
  CorpusUser* corpus_user = nullptr;
  CycleFollower* cycle_follower = nullptr;
  ExecutionControl* control = nullptr;
  /// The driver of the campaign sets its plan before each round.
  Portfolio* portfolio = nullptr;
};

}  // namespace heddle::strategies
