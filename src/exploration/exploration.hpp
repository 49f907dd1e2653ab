// Optimal exhaustive search: every consistent execution graph (po, rf, mo) exactly once, in memory that one path
// of the search needs. TruSt (Kokologiannakis et al., POPL 2022, Algorithm 1), stateless: every graph is a run of
// the program that rebuilds a part of the graph, the plan, and then adds one event after the other.
//
//   a read   takes the newest write; the other consistent ones are alternatives;
//   a write  takes the newest slot; the other consistent ones are alternatives; and every read of its location
//            that did not lead to it may be made to read from it, if what has to be deleted for that was
//            maximally added (revisits.hpp): then exactly one of the graphs that differ in the deleted part makes
//            the revisit, and no graph is reached twice;
//   an rmw   does both. Two of them cannot read from one write. So the second one also asks who could be
//            revisited if it read a write that is already overwritten: the first one then has to go, or to read
//            from the second. (The paper: such a graph is consistent until the write part is added.)
//
// Departures from the paper. An rmw is one event. The graph is rebuilt through the model's own incremental
// functions, in an order that contains po and rf: they offer exactly the consistent choices for an event that
// comes last, so a plan that asks for something else is an inconsistent graph, and the run is abandoned. A weak
// compare-exchange that fails spuriously is a read followed by a choice, whose first option is the maximal one.
//
// The model has to offer every choice that the axioms allow, not only those of one execution order:
// models::MemoryModel::for_exploration.
#pragma once

#include "base/random.hpp"
#include "exploration/pending.hpp"
#include "exploration/symmetry.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/strategy.hpp"

namespace heddle::exploration {

struct Statistics {
  std::uint64_t complete = 0;
  std::uint64_t blocked = 0;
  std::uint64_t abandoned = 0;  ///< runs whose plan was an inconsistent graph
  std::uint32_t depth = 0;      ///< most runs with something left to explore at one time
  std::size_t bytes = 0;        ///< most memory that they took
};

class Exploration final : public strategies::Strategy {
 public:
  /// `graph` is the one that the driver builds. `run_arena` is reset before every run; `pending_arena` holds what
  /// is left to explore.
  Exploration(const graph::ExecutionGraph& graph, base::Arena& run_arena, base::Arena& pending_arena)
      : graph_(graph), arena_(run_arena), pending_(pending_arena) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  void about_to_execute(graph::ThreadId thread, const strategies::PendingOperation& operation) override;
  void executed(const graph::Event& event) override;
  void end_execution(strategies::Outcome outcome) override;

  /// The plan turned out to be inconsistent.
  bool is_abandoned() const override { return is_abandoned_; }
  /// A thread that waits because it read a value that was overwritten at that time. The read is the last of its thread,
  /// so nothing depends on it, and it is not maximally added as long as the newer write is there: no revisit can delete
  /// it or change it. And the newer write, which was added before it, is not deleted without it.
  bool waits_for_ever(graph::ThreadId thread) const override;
  /// The run did not do what was planned: something that nobody controls influences the program.
  bool has_diverged() const { return has_diverged_; }
  const Statistics& statistics() const { return statistics_; }
  double explored() const { return pending_.explored(); }

  /// The thread does the same as `twin`, which was created before it: of executions that differ in who of them did
  /// what, one is enough. no_thread: it has none.
  void set_twin(graph::ThreadId thread, graph::ThreadId twin) override { symmetry_.set_twin(thread, twin); }

  /// From now on the runs are probes, until `stop_probing`: of all that there is to do at an event one option is
  /// drawn, and counts for the others. What the run at the end of such a path counts for is on average the number of
  /// runs of the whole search (Knuth, Estimating the efficiency of backtrack programs, 1975).
  void start_probing(std::uint64_t seed);
  void stop_probing();
  std::uint64_t probes() const { return probes_; }
  /// Of the runs that the search takes; there must have been a probe.
  double estimate() const { return estimates_ / static_cast<double>(probes_); }

 private:
  std::uint32_t choose_thread(const strategies::Choice& choice);
  std::uint32_t choose_detail(const strategies::Choice& choice);
  std::uint32_t choose_write(const strategies::Choice& choice);
  std::uint32_t choose_slot(const strategies::Choice& choice);
  /// The next event's part of the plan; null: the run is on its own.
  const PlannedEvent* planned() const { return steps_.size() < plan_.size() ? &plan_[steps_.size()] : nullptr; }
  std::uint32_t abandon();
  std::uint32_t diverge();

  void follow(const PlannedEvent& planned, const graph::Event& event);
  std::uint32_t add_step(const graph::Event& event, const PlannedEvent* planned);
  void refresh_modification_order(graph::LocationId location);
  void add_revisits(std::uint32_t write);
  void add_revisits_of_overwritten(std::uint32_t rmw);

  void end_probe_run();
  void keep_planned_reader();
  std::uint32_t position(graph::EventId id) const;
  std::uint32_t position(EventName name) const;
  Alternative change(Alternative::Kind kind, graph::EventId source) const;
  std::uint32_t reader_of_revisit() const;
  void alternative(const Alternative& alternative) { alternatives_.push_back(arena_, alternative); }

  const graph::ExecutionGraph& graph_;
  base::Arena& arena_;
  Pending pending_;
  Symmetry symmetry_;
  Statistics statistics_;
  bool has_begun_ = false;

  bool is_probing_ = false;
  base::Random random_;
  std::uint64_t probes_ = 0;  ///< that have come to their end
  double weight_ = 1;         ///< how many runs the newest one of the probe counts for
  double estimates_ = 0;      ///< of all probes, added up

  // Of the run; in arena_.
  base::ArenaVector<PlannedEvent> plan_;
  base::ArenaVector<Step> steps_;
  base::ArenaVector<Alternative> alternatives_;
  base::ArenaVector<std::uint32_t> positions_;       ///< of events, by id
  base::ArenaVector<std::uint32_t> last_of_thread_;  ///< positions
  strategies::PendingOperation operation_;           ///< what is about to be executed
  bool is_scheduled_ = false;                        ///< the next event is that operation
  std::uint32_t detail_ = 0;
  bool detail_precedes_read_ = false;
  std::uint32_t next_added_ = 0;
  bool is_abandoned_ = false;
  bool has_diverged_ = false;
};

}  // namespace heddle::exploration
