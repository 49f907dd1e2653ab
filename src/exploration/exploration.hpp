// Optimal exhaustive search: visits every consistent execution graph (po, rf, mo) exactly once. It needs memory for one
// path of the search only. The algorithm is TruSt (Kokologiannakis et al., POPL 2022, Algorithm 1). It is stateless:
// every graph is a run of the program, which rebuilds a part of the graph, the plan, and then adds event after event.
//
//   a read   takes the newest write. The other consistent writes become alternatives for later runs.
//   a write  takes the newest slot in modification order. The other consistent slots become alternatives. Besides, each
//            read of the location that is not porf-before the write may be revisited: it then reads from the write. A
//            revisit is allowed if the events that it deletes were maximally added (revisits.hpp). So exactly one of
//            the graphs that differ in the deleted part makes the revisit, and no graph is reached twice.
//   an rmw   does both. Two rmws cannot read from one write. So the second rmw also considers the writes that another
//            rmw already reads, with revisits that delete that rmw or make it read from the second one. (In the paper
//            such a graph is consistent until the write part of the second rmw is added.)
//
// Departures from the paper. An rmw is one event. The graph is rebuilt through the model's own incremental functions,
// in an order that contains po and rf. They offer exactly the consistent choices for an event that is added last. So a
// plan that asks for another choice describes an inconsistent graph, and the run is abandoned. A weak compare-exchange
// that may fail spuriously has a further choice, whose first option, success, is the maximal one.
//
// Steps that wait. A synchronisation object is a location that only read-modify-writes ("steps") change, see
// engine/waiting/graph_executor.hpp. In some states a step waits: a lock that is held. Such a step is no event. Its
// thread is not scheduled until the newest state lets the step continue. So a lock that is held costs no run of its
// own. Only when every thread waits, the steps become events, reads that block their threads for the rest of the run.
//
//   Let a step a take the state c that another step r has already taken, and let r wait in the state after a. TruSt
//   revisits r: it reads from a, and everything that was added after r and is not porf-before a is deleted. Here r is
//   left out as well, and comes again when it can continue. Then it is a new event with a new place in the order of the
//   search.
//   Each graph is still visited once. In TruSt, a is not maximally added after this, because r, which came first, reads
//   from it. Here a is marked instead (Step::overtakes): no revisit deletes it or changes what it reads. Let H be the
//   events that were added before r. The scheduler's choice after H was r, and H and the new graph G have the same
//   state c before a. As long as c is the newest state, r can be added, and every step that reads the state after r is
//   porf-after r. So no graph contains r, reading c, together with a. G comes from no other pair: a second step r'
//   would have to be the choice after a set H' that differs from H, say H is a part of H'. Then r was left out before,
//   by a step of H' that took c. But a took c. No graph is lost. From G without a, add r, and then what the scheduler
//   chooses, maximally, until it chooses a: a will be chosen, as its thread comes to it and waiting threads are chosen
//   at last. The result is the graph in which a overtakes r, and it has one event of this kind less than G.
//
// The model has to offer every choice that the axioms allow, not only those that one order of execution explains: see
// models::MemoryModel::for_exploration.
#pragma once

#include "exploration/accesses.hpp"
#include "exploration/pending.hpp"
#include "exploration/preemptions.hpp"
#include "exploration/probe.hpp"
#include "exploration/revisits.hpp"
#include "exploration/symmetry.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/exhaustive.hpp"
#include "strategies/strategy.hpp"

namespace heddle::exploration {

struct Statistics {
  std::uint64_t complete = 0;
  std::uint64_t blocked = 0;
  std::uint64_t abandoned = 0;  ///< runs whose plan described an inconsistent graph
  std::uint32_t depth = 0;      ///< the largest number of pending runs at one time
  std::size_t bytes = 0;        ///< the largest memory of pending runs
};

/// Many methods: most are private steps of the algorithm above. Many fields: the state of one run.
class Exploration final : public strategies::Strategy, public strategies::ExecutionControl {
 public:
  /// `graph` is the graph that the driver builds. begin_execution() resets `run_arena`. `pending_arena` holds what is
  /// left to explore.
  Exploration(const graph::ExecutionGraph& graph, base::Arena& run_arena, base::Arena& pending_arena)
      : graph_(graph), arena_(run_arena), pending_(pending_arena) {}

  /// Without this, the search takes every operation for one that continues in every state.
  void set_waiting_steps(const strategies::WaitingSteps& steps) { waiting_steps_ = &steps; }

  /// Explores the executions with at most so many preemptions (preemptions.hpp).
  ///
  /// A graph with more than `most` is no execution that counts, but other graphs may follow from it: revisits delete
  /// events. Let the search visit G on its way to an execution E with at most `most` preemptions. The events of G that
  /// are also in E are closed under porf in both, and E has no fewer preemptions than they have. The other events of G
  /// were maximally added. They can be executed behind the events of E, thread by thread. So each thread but one is
  /// left once more than in E. A graph with more than `most` plus the number of its threads leads to no such execution,
  /// and what would follow from it is cut off. (Marmanis, Kokologiannakis and Vafeiadis, Reconciling preemption
  /// bounding with DPOR, TACAS 2023, have this slack, too.)
  void set_preemption_bound(std::uint64_t most, ExecutionOrders orders) {
    most_preemptions_ = most;
    orders_ = orders;
  }
  /// True if the run was ended because its graph is beyond the bound with what may follow from it.
  bool is_cut_off() const { return is_cut_off_; }
  /// To be asked at the end of a run: whether its graph has more preemptions than the bound allows.
  bool is_beyond_bound();

  // Most runs begin like the run before them. The driver may then repeat the first steps instead of building their part
  // of the graph again (graph::ExecutionGraph::cut): these steps are not decided, and executed() is not called for
  // them.

  /// To be called before begin_execution() if the driver has executed the last run, can cut its graph, and will repeat
  /// what kept_steps() returns after begin_execution(). It holds for one run.
  void allow_keeping() { may_keep_ = true; }
  Steps kept_steps() const { return steps_.span(); }

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  strategies::Facets facets() override { return {.control = this}; }
  bool about_to_execute(graph::ThreadId thread, const strategies::PendingOperation& operation) override;
  void executed(const graph::Event& event) override;
  void end_execution(strategies::Outcome outcome) override;

  /// True if the plan describes an inconsistent graph.
  bool is_abandoned() const override { return is_abandoned_; }
  /// True if the thread waits because of a read of a write that was already overwritten when the read was added. The
  /// read is the last event of its thread, so nothing depends on it. It is not maximally added as long as the newer
  /// write is in the graph, so no revisit can delete or change it. The newer write was added before the read, so no
  /// revisit deletes it without the read.
  bool waits_for_ever(graph::ThreadId thread) const override;
  /// True if a run did not do what was planned: something that heddle does not control influences the program.
  bool has_diverged() const { return has_diverged_; }
  /// True if there was no memory for the runs that are left to explore. The search cannot continue.
  bool has_lost_runs() const { return has_lost_runs_; }
  const Statistics& statistics() const { return statistics_; }
  double explored() const { return pending_.explored(); }
  const base::ExactSum& exactly_explored() const { return pending_.exactly_explored(); }

  /// From now on, the search explores this part of the whole. explored() counts from 0. Returns false if the bytes are
  /// damaged. An empty subtree is the whole search.
  [[nodiscard]] bool load(Bytes subtree);
  /// Between two runs: gives a part of what is left to explore away. See Pending::give.
  Pending::Gift give(std::size_t least, std::span<std::uint8_t> out) {
    forget_run();
    return pending_.give(least, out, arena_);
  }

  /// The thread runs the same code as `twin`, which was created before it. The search visits one of the executions that
  /// differ only in the roles of the two. no_thread: the thread has no twin.
  void set_twin(graph::ThreadId thread, graph::ThreadId twin) override { symmetry_.set_twin(thread, twin); }

  /// From now on, until stop_probing(), the runs are those of probes.
  void start_probing(std::uint64_t seed) { probe_.start(seed); }
  void stop_probing();
  const Probe& probe() const { return probe_; }

 private:
  std::uint32_t choose_thread(const strategies::Choice& choice);
  std::uint32_t choose_detail(const strategies::Choice& choice);
  std::uint32_t choose_write(const strategies::Choice& choice);
  std::uint32_t choose_slot(const strategies::Choice& choice);
  /// The plan for the next event. Null: the plan is done, and the run continues freely.
  const PlannedEvent* planned() const {
    return steps_.size() < plan_end() ? &plan_[steps_.size() - plan_begin_] : nullptr;
  }
  std::size_t plan_end() const { return plan_begin_ + plan_.size(); }
  std::uint32_t abandon();
  std::uint32_t diverge();
  bool is_left_out(const PlannedEvent& planned, const strategies::PendingOperation& pending) const;

  void follow(const PlannedEvent& planned, const graph::Event& event);
  std::uint32_t add_step(const graph::Event& event, const PlannedEvent* planned);
  std::uint32_t link(std::span<const graph::EventId> events);
  void refresh_modification_order(graph::LocationId location);
  void add_revisits(std::uint32_t write);
  void add_revisits_of_overwritten(std::uint32_t rmw);
  void list_concurrent_reads(const Step& a);
  void add_allowed_revisits(Alternative revisit, const Prefix& prefix, std::uint32_t deleted);

  void forget_run();
  void keep_steps(std::uint32_t count);
  void move_back_behind(const Step& removed, std::uint32_t count);
  void link_again(std::uint32_t count);
  void end_probe_run();
  bool has_preemption_bound() const { return most_preemptions_ != strategies::no_switch_bound; }
  void cut_off_beyond_bound();
  void keep_planned_reader();
  std::uint32_t position(graph::EventId id) const;
  std::uint32_t position(EventName name) const;
  Alternative change(Alternative::Kind kind, graph::EventId source) const;
  std::uint32_t reader_of_revisit() const;
  void alternative(const Alternative& alternative) { alternatives_.push_back(arena_, alternative); }

  const graph::ExecutionGraph& graph_;
  const strategies::WaitingSteps* waiting_steps_ = nullptr;
  base::Arena& arena_;
  Pending pending_;
  Symmetry symmetry_;
  Statistics statistics_;
  Probe probe_;
  bool has_begun_ = false;

  bool may_keep_ = false;
  std::uint32_t real_steps_ = 0;   ///< of the last run: keep_planned_reader() may have added one more
  std::uint32_t sound_steps_ = 0;  ///< of these, the steps that are what the graph shows
  bool links_several_ = false;     ///< an event of the run synchronises with several others

  // The state of the run, in arena_:
  std::uint32_t plan_begin_ = 0;          ///< the number of steps that were kept
  base::ArenaVector<PlannedEvent> plan_;  ///< of the steps that follow
  base::ArenaVector<Step> steps_;
  base::ArenaVector<Alternative> alternatives_;
  base::ArenaVector<std::uint32_t> positions_;       ///< positions of events in steps_, by event id
  base::ArenaVector<std::uint32_t> last_of_thread_;  ///< the position of each thread's last event
  Accesses accesses_;
  base::ArenaVector<std::uint32_t> readers_;  ///< scratch of add_revisits
  strategies::PendingOperation operation_;    ///< the operation that is about to be executed
  bool is_scheduled_ = false;                 ///< the next event is that of operation_
  std::uint32_t detail_ = 0;
  bool detail_precedes_read_ = false;
  std::uint32_t next_added_ = 0;
  bool is_abandoned_ = false;
  bool is_cut_off_ = false;
  std::uint64_t most_preemptions_ = strategies::no_switch_bound;
  ExecutionOrders orders_ = ExecutionOrders::program_and_reads;
  bool has_diverged_ = false;
  bool has_lost_runs_ = false;
};

}  // namespace heddle::exploration
