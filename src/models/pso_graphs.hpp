// Partial store order and partial store load order as axioms. They state what the executions of figures 5 and 6 of
// Burnim, Sen, Stergiou (Testing concurrent programs on relaxed memory models, ISSTA 2011) have in common:
//   uniproc    acyclic sb&loc | rf | mo | rb
//   atomicity  rmw & (rb;mo) is empty
//   ghb        acyclic ppo | rfm | mo | rbm | asw
// In ghb a store stands for the moment at which it reaches memory, and every other event for its execution.
//   ppo  sb, without the pairs of a store and a later event between which nothing drains the thread's buffers. What
//        drains them is a release (a store itself, a fence, an rmw), also by the later event, or a seq_cst store, which
//        does so after it. The paper chose this for fences between stores; it orders the store and later loads too.
//   rfm  rf, except from a store to a load of its own thread, which the buffer may have answered. A failed
//        compare-exchange reads memory, so it belongs to rfm.
//   rbm  pso: rb. pslo: a load may read what memory held at the thread's last acquire, so that acquire stands for it:
//        [acquire];sb;[load];rb, and rb of an rmw or a failed compare-exchange, which read memory as it is.
//
// The models Pso and Pslo execute with buffers. PsoGraphs offers every choice that the axioms allow, without buffers,
// which a search over graphs needs.
#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

/// Which of a thread's buffered stores are in memory when an event acts: the barriers of the paper.
enum class Drained : std::uint8_t { none, same_location, all };
inline Drained drained_before(const graph::Event& event) {
  switch (event.kind) {
    case graph::EventKind::store:
    case graph::EventKind::fence: return is_release(event.order) ? Drained::all : Drained::none;
    case graph::EventKind::rmw: return is_release(event.order) ? Drained::all : Drained::same_location;
    case graph::EventKind::load:
      if (!is_failed_exchange(event)) return Drained::none;
      return event.failed_exchange == graph::FailedExchange::release ? Drained::all : Drained::same_location;
    default: return releases(event.kind) ? Drained::all : Drained::none;
  }
}
/// The store itself and all before it are in memory right after it.
inline bool drains_after(const graph::Event& event) {
  return event.kind == graph::EventKind::store && is_seq_cst(event.order);
}
/// pslo: later loads of the thread read nothing older than what memory holds now.
inline bool forbids_old_reads(const graph::Event& event) {
  switch (event.kind) {
    case graph::EventKind::load:
    case graph::EventKind::rmw:
    case graph::EventKind::fence: return is_acquire(event.order);
    case graph::EventKind::store: return is_seq_cst(event.order);
    case graph::EventKind::lock:
    case graph::EventKind::start:
    case graph::EventKind::join: return true;
    default: return false;
  }
}
/// A load that takes its value from the thread's buffer, from memory or, under pslo, from what memory held before.
inline bool is_buffered_load(const graph::Event& event) {
  return event.kind == graph::EventKind::load && !is_failed_exchange(event);
}

/// Whether loads may read what memory held before.
enum class OldReads : std::uint8_t { no, allowed };

class PsoGraphs final : public MemoryModel {
 public:
  explicit PsoGraphs(OldReads old_reads) : old_reads_(old_reads) {}
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool can_forget() const override { return false; }
  const char* name() const override { return old_reads_ == OldReads::no ? "pso" : "pslo"; }

 private:
  OldReads old_reads_;
};

}  // namespace heddle::models
