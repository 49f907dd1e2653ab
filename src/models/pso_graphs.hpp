// Partial store order and partial store load order as axioms. They state what the executions of figures 5 and 6 of
// Burnim, Sen, Stergiou (Testing concurrent programs on relaxed memory models, ISSTA 2011) have in common:
//   uniproc    acyclic sb&loc | rf | mo | rb
//   atomicity  rmw & (rb;mo) is empty
//   ghb        acyclic ppo | rfm | mo | rbm | asw
// In ghb a store stands for the moment at which it reaches memory, and every other event for its execution.
//   ppo  sb, without the pairs of a store and a later event between which nothing drains the thread's buffers. What
//        drains them is a release (a store itself, a fence, an rmw), also by the later event, or a seq_cst store, which
//        does so after it. RmwBarrier::full: every rmw and failed compare-exchange drains them. The paper chose this
//        for fences between stores; it orders the store and later loads too.
//   rfm  rf, except from a store to a load of its own thread, which the buffer may have answered. A failed
//        compare-exchange reads memory, so it belongs to rfm.
//   rbm  pso: rb. pslo: a load may read what memory held at the thread's last acquire, so that acquire stands for it:
//        [acquire];sb;[load];rb, and rb of an rmw or a failed compare-exchange, which read memory as it is.
//        RmwBarrier::full: every rmw and failed compare-exchange is an acquire here.
//
// The models Pso and Pslo execute with buffers. PsoGraphs offers every choice that the axioms allow, without buffers,
// which a search over graphs needs.
#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

/// A load that takes its value from the thread's buffer, from memory or, under pslo, from what memory held before.
inline bool is_buffered_load(const graph::Event& event) {
  return event.kind == graph::EventKind::load && !is_failed_exchange(event);
}
/// The store itself and all before it are in memory right after it.
inline bool drains_after(const graph::Event& event) {
  return event.kind == graph::EventKind::store && is_seq_cst(event.order);
}

/// Whether loads may read what memory held before.
enum class OldReads : std::uint8_t { no, allowed };
/// Which of a thread's buffered stores are in memory when an event acts: the barriers of the paper.
enum class Drained : std::uint8_t { none, same_location, all };

/// Which barriers an event has. Execution with buffers, search and axioms go by these rules.
struct PsoRules {
  OldReads old_reads;
  RmwBarrier rmw;

  Drained drained_before(const graph::Event& event) const {
    switch (event.kind) {
      case graph::EventKind::store:
      case graph::EventKind::fence: return is_release(event.order) ? Drained::all : Drained::none;
      case graph::EventKind::rmw: return drained_before_rmw(is_release(event.order));
      case graph::EventKind::load:
        if (!is_failed_exchange(event)) return Drained::none;
        return drained_before_rmw(event.failed_exchange == graph::FailedExchange::release);
      default: return releases(event.kind) ? Drained::all : Drained::none;
    }
  }
  /// pslo: later loads of the thread read nothing older than what memory holds now.
  bool forbids_old_reads(const graph::Event& event) const {
    switch (event.kind) {
      case graph::EventKind::load: return is_acquire(event.order) || (is_full(rmw) && is_failed_exchange(event));
      case graph::EventKind::rmw: return is_acquire(event.order) || is_full(rmw);
      case graph::EventKind::fence: return is_acquire(event.order);
      case graph::EventKind::store: return is_seq_cst(event.order);
      case graph::EventKind::lock:
      case graph::EventKind::start:
      case graph::EventKind::join: return true;
      default: return false;
    }
  }

 private:
  static bool is_full(RmwBarrier barrier) { return barrier == RmwBarrier::full; }
  Drained drained_before_rmw(bool is_release) const {
    return is_release || is_full(rmw) ? Drained::all : Drained::same_location;
  }
};

class PsoGraphs final : public MemoryModel {
 public:
  explicit PsoGraphs(PsoRules rules) : rules_(rules) {}
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool can_forget() const override { return false; }

 private:
  PsoRules rules_;
};

}  // namespace heddle::models
