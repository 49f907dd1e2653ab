// Total store order as axioms (as in Owens, Sarkar, Sewell: A better x86 memory model, TPHOLs 2009, and Alglave,
// Maranget, Tautschnig: Herding cats, TOPLAS 2014):
//   uniproc    acyclic sb&loc | rf | mo | rb
//   atomicity  rmw & (rb;mo) is empty
//   ghb        acyclic ppo | rfe | mo | rb | asw
// ppo is sb between events other than weak fences, without the pairs of a store that is not seq_cst and a later load
// that is not a failed compare-exchange. rfe is rf between threads. So a seq_cst fence, a read-modify-write, a failed
// compare-exchange or an operation on a synchronisation object between a store and a load orders the two. Operations
// that x86 makes without a barrier do not: an unlock of a spinlock is a store here, a look at a semaphore a load.
//
// The model Tso executes with store buffers. TsoGraphs offers every choice that the axioms allow, without buffers,
// which a search over graphs needs.
#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

/// Under tso, the thread's store buffer is empty when the event acts on memory.
inline bool empties_buffer_before(const graph::Event& event) {
  switch (event.kind) {
    case graph::EventKind::init:
    case graph::EventKind::store: return false;
    case graph::EventKind::load:
      return is_failed_exchange(event) && event.failed_exchange != graph::FailedExchange::plain_look;
    case graph::EventKind::fence: return is_seq_cst(event.order);
    case graph::EventKind::lock:
    case graph::EventKind::unlock: return !lacks_barrier(event);
    default: return true;
  }
}

class TsoGraphs final : public MemoryModel {
 public:
  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool can_forget() const override { return false; }
};

}  // namespace heddle::models
