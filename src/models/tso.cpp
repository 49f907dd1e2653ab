// Total store order by execution (Burnim, Sen, Stergiou: Testing concurrent programs on relaxed memory models, ISSTA
// 2011, figure 4). Each thread has one FIFO store buffer.
//   store                 appends to the thread's buffer;
//   internal step         the oldest store of a buffer reaches memory: the newest position in modification order;
//   load                  reads the thread's newest buffered store to the location, or else memory;
//   read-modify-write     empties the thread's buffer first, as does a compare-exchange that fails;
//   seq_cst fence         empties the buffer; weaker fences do nothing, since the buffer is FIFO and loads are in
//                         order;
//   seq_cst store         empties the buffer right after it;
//   synchronisation       an operation on a synchronisation object, create, start, join and finish empties the buffer,
//                         unless x86 makes it without a barrier (engine/operations/sync_rules.hpp). Such an unlock is a
//                         store in the buffer, and the next lock waits for it: what its thread stored before reaches
//                         memory.
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
    const EventId own = empties_buffer_before(event) ? oldest(event.thread) : graph::no_event;
    return own != graph::no_event ? own : oldest_released(event);
  }
  EventId must_reach_memory_after(const Event& event) override {
    return event.kind == EventKind::store && is_seq_cst(event.order) ? oldest(event.thread) : graph::no_event;
  }
  EventId oldest_store(ThreadId thread) override { return oldest(thread); }
  void left_buffer(EventId store) override { ++buffers_[number(graph_.event(store).thread)].first; }

 private:
  /// Stores that reached memory stay in the list, before `first`: an execution has few of them, and its arena goes.
  struct Buffer {
    base::ArenaVector<EventId> stores;
    std::uint32_t first = 0;
    base::ArenaVector<EventId> newest;  ///< by location: the newest store of the thread, if it has any there

    bool empty() const { return first == stores.size(); }
  };

  EventId oldest(ThreadId thread) const {
    if (number(thread) >= buffers_.size() || buffers_[number(thread)].empty()) return graph::no_event;
    return buffers_[number(thread)].stores[buffers_[number(thread)].first];
  }
  /// A buffered store of another thread before the unlock that the event synchronises with; no_event: none.
  EventId oldest_released(const Event& event) const {
    for (const EventId id : event.synchronised) {
      const Event& release = graph_.event(id);
      const EventId store = oldest(release.thread);
      if (store != graph::no_event && graph_.event(store).index < release.index) return store;
    }
    return graph::no_event;
  }
  /// The newest buffered store of the read's thread to the read's location; no_event: none.
  EventId newest_buffered(const Event& read) const {
    if (number(read.thread) >= buffers_.size()) return graph::no_event;
    const Buffer& buffer = buffers_[number(read.thread)];
    if (buffer.empty() || number(read.location) >= buffer.newest.size()) return graph::no_event;
    // A thread's events have their numbers in program order.
    const EventId newest = buffer.newest[number(read.location)];
    return newest != graph::no_event && newest >= buffer.stores[buffer.first] ? newest : graph::no_event;
  }

  base::ArenaVector<Buffer> buffers_;  ///< by thread
};

void TsoState::commit(EventId id) {
  synchronise(graph_, id, ReleaseSequence::cpp20);
  const Event& event = graph_.event(id);
  if (!is_buffered(event)) return;
  while (buffers_.size() <= number(event.thread)) buffers_.push_back(graph_.arena(), {});
  Buffer& buffer = buffers_[number(event.thread)];
  buffer.stores.push_back(graph_.arena(), id);
  while (buffer.newest.size() <= number(event.location)) buffer.newest.push_back(graph_.arena(), graph::no_event);
  buffer.newest[number(event.location)] = id;
}

void TsoState::committable_stores(base::ArenaVector<EventId>& out) {
  for (std::uint32_t t = 0; t < buffers_.size(); ++t)
    if (!buffers_[t].empty()) out.push_back(graph_.arena(), oldest(ThreadId{t}));
}

}  // namespace

constinit const ModelDescriptor tso_model = {
    .name = "tso",
    .title = "tso",
    .make = [](const ModelOptions&, base::Arena& arena) -> const MemoryModel* { return arena.create<Tso>(); },
    .has_store_buffers = true,
};

ModelState& Tso::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<TsoState>(graph);
}

}  // namespace heddle::models
