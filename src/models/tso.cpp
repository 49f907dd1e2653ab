// Total store order by execution (Burnim, Sen, Stergiou: Testing concurrent programs on relaxed memory models, ISSTA
// 2011, figure 4). Each thread has one FIFO store buffer.
//   store                 appends to the thread's buffer;
//   internal step         the oldest store of a buffer reaches memory: the newest position in modification order;
//   load                  reads the thread's newest buffered store to the location, or else memory;
//   read-modify-write     empties the thread's buffer first, as does a compare-exchange that fails;
//   seq_cst fence         empties the buffer; weaker fences do nothing, since the buffer is FIFO and loads are in
//   order; seq_cst store         empties the buffer right after it; synchronisation       an operation on a
//   synchronisation object, create, start, join and finish empties the buffer.
// Happens-before is the one of C++, from the memory orders in the program: a data race is a race under tso too.
#include "models/tso.hpp"

#include "models/synchronisation.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::ThreadId;

namespace {

class TsoState final : public ModelState {
 public:
  explicit TsoState(ExecutionGraph& graph) : ModelState(graph) { buffers_stores_ = true; }

  void readable_writes(const Event& read, base::ArenaVector<EventId>& out) override {
    const EventId own = newest_buffered(read);
    out.push_back(graph_.arena(), own != graph::no_event ? own : graph_.newest_write(read.location));
  }
  /// `unknown` if the load reads a buffered store, which has no position in modification order.
  std::uint32_t readable_from(const Event& read) override {
    if (newest_buffered(read) != graph::no_event) return unknown;
    return static_cast<std::uint32_t>(graph_.location(read.location).modification_order.size()) - 1;
  }
  bool goes_last(const Event&) override { return true; }
  void mo_slots(const Event& write, base::ArenaVector<std::uint32_t>& out) override {
    out.push_back(graph_.arena(),
                  static_cast<std::uint32_t>(graph_.location(write.location).modification_order.size()));
  }
  void commit(EventId id) override;

  void committable_stores(base::ArenaVector<EventId>& out) override;
  EventId must_reach_memory_before(const Event& event) override {
    return empties_buffer_before(event) ? oldest(event.thread) : graph::no_event;
  }
  EventId must_reach_memory_after(const Event& event) override {
    return event.kind == EventKind::store && is_seq_cst(event.order) ? oldest(event.thread) : graph::no_event;
  }
  void left_buffer(EventId store) override { ++buffers_[number(graph_.event(store).thread)].first; }

 private:
  /// Stores that reached memory stay in the list, before `first`: an execution has few of them, and its arena goes.
  struct Buffer {
    base::ArenaVector<EventId> stores;
    std::uint32_t first = 0;

    bool empty() const { return first == stores.size(); }
  };

  EventId oldest(ThreadId thread) const {
    if (number(thread) >= buffers_.size() || buffers_[number(thread)].empty()) return graph::no_event;
    return buffers_[number(thread)].stores[buffers_[number(thread)].first];
  }
  /// The newest buffered store of the read's thread to the read's location; no_event: none.
  EventId newest_buffered(const Event& read) const {
    if (number(read.thread) >= buffers_.size()) return graph::no_event;
    const Buffer& buffer = buffers_[number(read.thread)];
    for (std::size_t i = buffer.stores.size(); i-- > buffer.first;)
      if (graph_.event(buffer.stores[i]).location == read.location) return buffer.stores[i];
    return graph::no_event;
  }

  base::ArenaVector<Buffer> buffers_;  ///< by thread
};

void TsoState::commit(EventId id) {
  synchronise(graph_, id, ReleaseSequence::cpp20);
  const Event& event = graph_.event(id);
  if (!is_buffered(event)) return;
  while (buffers_.size() <= number(event.thread)) buffers_.push_back(graph_.arena(), {});
  buffers_[number(event.thread)].stores.push_back(graph_.arena(), id);
}

void TsoState::committable_stores(base::ArenaVector<EventId>& out) {
  for (std::uint32_t t = 0; t < buffers_.size(); ++t)
    if (!buffers_[t].empty()) out.push_back(graph_.arena(), oldest(ThreadId{t}));
}

}  // namespace

ModelState& Tso::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<TsoState>(graph);
}

}  // namespace heddle::models
