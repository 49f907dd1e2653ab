// Partial store order and partial store load order by execution (Burnim, Sen, Stergiou: Testing concurrent programs on
// relaxed memory models, ISSTA 2011, figures 5 and 6). Each thread has a FIFO store buffer for each location.
//   store                 appends to the thread's buffer for the location;
//   internal step         the oldest store of a buffer reaches memory: the newest position in modification order;
//   load                  reads the thread's newest buffered store to the location, or else memory. pslo: or else any
//                         write in memory that is not older than the thread's last acquire, its own last write to the
//                         location that has reached memory, and what it has read there before;
//   read-modify-write     empties the thread's buffer for the location first, then acts on memory; so does a
//                         compare-exchange that fails. If it is a full barrier (RmwBarrier::full), it empties all
//                         buffers, and counts as an acquire;
//   release               a store, read-modify-write, fence, unlock, create or finish empties all buffers first;
//   seq_cst store         empties all buffers right after it, too.
// Happens-before is the one of C++, from the memory orders in the program: a data race is a race under pso too.
#include "models/pso.hpp"

#include <algorithm>

#include "base/fast_paths.hpp"
#include "base/hash.hpp"
#include "models/synchronisation.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::ExecutionGraph;
using graph::LocationId;
using graph::ThreadId;

namespace {

class PsoState final : public ModelState {
 public:
  PsoState(ExecutionGraph& graph, PsoRules rules) : ModelState(graph), rules_(rules) { buffers_stores_ = true; }

  void readable_writes(const Event& read, base::ArenaVector<EventId>& out) override {
    if (const EventId own = newest_buffered(read); own != graph::no_event) {
      out.push_back(graph_.arena(), own);
      return;
    }
    const auto& order = graph_.location(read.location).modification_order;
    for (std::uint32_t position = oldest_readable(read); position < order.size(); ++position)
      out.push_back(graph_.arena(), order[position]);
  }
  /// `unknown` if the load reads a buffered store, which has no position in modification order.
  std::uint32_t readable_from(const Event& read) override {
    return newest_buffered(read) != graph::no_event ? unknown : oldest_readable(read);
  }
  bool goes_last(const Event&) override { return true; }
  void mo_slots(const Event& write, base::ArenaVector<std::uint32_t>& out) override {
    out.push_back(graph_.arena(), newest_position(write.location) + 1);
  }
  void commit(EventId id) override;

  void committable_stores(base::ArenaVector<EventId>& out) override;
  EventId must_reach_memory_before(const Event& event) override {
    switch (rules_.drained_before(event)) {
      case Drained::none: return graph::no_event;
      case Drained::same_location: return buffer(event.thread, event.location).oldest;
      case Drained::all: return oldest_store(event.thread);
    }
    __builtin_unreachable();
  }
  EventId must_reach_memory_after(const Event& event) override {
    return drains_after(event) ? oldest_store(event.thread) : graph::no_event;
  }
  EventId oldest_store(ThreadId id) override {
    const Thread* own = find(id);
    return own == nullptr || own->heads.empty() ? graph::no_event : own->heads[0];
  }
  void left_buffer(EventId store) override;

  std::uint64_t hash() const override;

 private:
  /// The stores of a thread to a location that have not reached memory. next_ links them.
  struct Buffer {
    EventId oldest = graph::no_event;
    EventId newest = graph::no_event;
  };
  struct Thread {
    base::ArenaVector<Buffer> buffers;      ///< by location
    base::ArenaVector<EventId> heads;       ///< the oldest store of each buffer that has any, in program order
    base::ArenaVector<std::uint32_t> seen;  ///< by location: the newest position in modification order that it read or
                                            ///< that its own stores have
    std::uint32_t last_acquire = 0;         ///< as a number of writes that had reached memory
  };

  Thread& thread(ThreadId id) {
    while (threads_.size() <= number(id)) threads_.push_back(graph_.arena(), {});
    return threads_[number(id)];
  }
  const Thread* find(ThreadId id) const { return number(id) < threads_.size() ? &threads_[number(id)] : nullptr; }

  std::uint32_t newest_position(LocationId location) const {
    return static_cast<std::uint32_t>(graph_.location(location).modification_order.size()) - 1;
  }
  /// The newest buffered store of the read's thread to the read's location; no_event: none.
  EventId newest_buffered(const Event& read) const { return buffer(read.thread, read.location).newest; }
  Buffer buffer(ThreadId id, LocationId location) const {
    const Thread* own = find(id);
    return own != nullptr && number(location) < own->buffers.size() ? own->buffers[number(location)] : Buffer{};
  }
  /// Where the store is, or would be, among the heads. A thread's events have their numbers in program order.
  static std::size_t position_of(const Thread& thread, EventId store) {
    return static_cast<std::size_t>(std::lower_bound(thread.heads.begin(), thread.heads.end(), store) -
                                    thread.heads.begin());
  }
  void add_to_buffer(Thread& own, EventId store, LocationId location);
  /// The position in modification order from which on the read may read, if its thread has no store to the location
  /// in its buffer.
  std::uint32_t oldest_readable(const Event& read) const {
    const bool may_be_old = rules_.old_reads == OldReads::allowed && is_buffered_load(read);
    return may_be_old ? oldest_allowed(read.thread, read.location) : newest_position(read.location);
  }
  std::uint32_t oldest_allowed(ThreadId id, LocationId location) const;
  void raise_seen(ThreadId id, LocationId location, std::uint32_t position);
  void mark_reached_memory(EventId write);

  PsoRules rules_;
  base::ArenaVector<Thread> threads_;
  base::ArenaVector<std::uint32_t> reached_at_;  ///< by event: writes in memory when it reached memory, itself included
  std::uint32_t reached_memory_ = 0;             ///< how many writes have
  base::ArenaVector<EventId> next_;              ///< by buffered store: the next one of its buffer, if there is one
  /// By location: the newest write of the first `count` ones for which reached_at_ has no number.
  struct Unnumbered {
    std::uint32_t count = 0;
    std::uint32_t position = 0;
  };
  mutable base::ArenaVector<Unnumbered> unnumbered_;
};

std::uint32_t PsoState::oldest_allowed(ThreadId id, LocationId location) const {
  const Thread* own = find(id);
  if (own == nullptr) return 0;
  const std::uint32_t seen = number(location) < own->seen.size() ? own->seen[number(location)] : 0;
  const auto& order = graph_.location(location).modification_order;
  const auto reached_at = [this](EventId write) {
    return number(write) < reached_at_.size() ? reached_at_[number(write)] : 0;
  };
  if (!base::fast_paths) {
    std::uint32_t position = newest_position(location);
    while (position > seen && reached_at(order[position]) > own->last_acquire) --position;
    return position;
  }
  // The numbers grow along modification order. Writes without a number are rare.
  if (unnumbered_.size() <= number(location)) unnumbered_.resize(graph_.arena(), number(location) + std::size_t{1});
  Unnumbered& unnumbered = unnumbered_[number(location)];
  for (; unnumbered.count < order.size(); ++unnumbered.count)
    if (reached_at(order[unnumbered.count]) == 0) unnumbered.position = unnumbered.count;
  const std::uint32_t oldest = std::max(seen, unnumbered.position);
  const auto* const behind =
      std::upper_bound(order.begin() + oldest + 1, order.end(), own->last_acquire,
                       [&](std::uint32_t last_acquire, EventId write) { return last_acquire < reached_at(write); });
  return static_cast<std::uint32_t>(behind - order.begin()) - 1;
}

void PsoState::raise_seen(ThreadId id, LocationId location, std::uint32_t position) {
  auto& seen = thread(id).seen;
  while (seen.size() <= number(location)) seen.push_back(graph_.arena(), 0);
  if (seen[number(location)] < position) seen[number(location)] = position;
}

void PsoState::mark_reached_memory(EventId write) {
  while (reached_at_.size() <= number(write)) reached_at_.push_back(graph_.arena(), 0);
  reached_at_[number(write)] = ++reached_memory_;
  const Event& event = graph_.event(write);
  raise_seen(event.thread, event.location, event.mo_position);
}

/// A store that is not buffered is a plain one that an atomic access found in memory. When it reached memory is not
/// known, so every thread may have an acquire after it: no thread reads an older write.
void PsoState::commit(EventId id) {
  synchronise(graph_, id, ReleaseSequence::cpp20);
  const Event& event = graph_.event(id);
  if (event.thread == graph::no_thread) return;
  if (is_buffered(event)) {
    add_to_buffer(thread(event.thread), id, event.location);
  } else if (event.kind == graph::EventKind::rmw) {
    mark_reached_memory(id);
  } else if (reads(event.kind)) {
    const Event& source = graph_.event(event.reads_from);
    if (!is_buffered(source)) raise_seen(event.thread, event.location, source.mo_position);
  }
  if (rules_.forbids_old_reads(event)) thread(event.thread).last_acquire = reached_memory_;
}

void PsoState::add_to_buffer(Thread& own, EventId store, LocationId location) {
  if (own.buffers.size() <= number(location)) own.buffers.resize(graph_.arena(), number(location) + std::size_t{1});
  Buffer& buffer = own.buffers[number(location)];
  if (next_.size() <= number(store)) next_.resize(graph_.arena(), number(store) + std::size_t{1});
  if (buffer.oldest == graph::no_event) {
    buffer.oldest = store;
    own.heads.push_back(graph_.arena(), store);
  } else {
    next_[number(buffer.newest)] = store;
  }
  buffer.newest = store;
}

/// The store is the oldest one of its buffer.
void PsoState::left_buffer(EventId store) {
  const Event& event = graph_.event(store);
  Thread& own = thread(event.thread);
  Buffer& buffer = own.buffers[number(event.location)];
  own.heads.erase(position_of(own, store));
  if (buffer.newest == store) {
    buffer = {};
  } else {
    buffer.oldest = next_[number(store)];
    own.heads.insert(graph_.arena(), position_of(own, buffer.oldest), buffer.oldest);
  }
  mark_reached_memory(store);
}

/// The oldest store of each buffer, in program order for each thread.
void PsoState::committable_stores(base::ArenaVector<EventId>& out) {
  for (const Thread& thread : threads_)
    for (const EventId store : thread.heads) out.push_back(graph_.arena(), store);
}

/// The buffers are in the graph: they hold the stores without a position in modification order.
std::uint64_t PsoState::hash() const {
  std::uint64_t result = 0;
  if (rules_.old_reads == OldReads::no) return result;
  for (std::uint32_t t = 0; t < threads_.size(); ++t)
    for (std::uint32_t l = 0; l < graph_.locations().size(); ++l)
      result = base::hash_words(result, oldest_allowed(ThreadId{t}, LocationId{l}));
  return result;
}

}  // namespace

constinit const ModelDescriptor pso_model = {
    .name = "pso",
    .title = "pso",
    .make = [](const ModelOptions& options, base::Arena& arena) -> const MemoryModel* {
      return arena.create<Pso>(PsoRules{OldReads::no, options.rmw});
    },
    .has_store_buffers = true,
    .reorders_stores = true,
    .has_rmw_barriers = true,
};

constinit const ModelDescriptor pslo_model = {
    .name = "pslo",
    .title = "pslo",
    .make = [](const ModelOptions& options, base::Arena& arena) -> const MemoryModel* {
      return arena.create<Pso>(PsoRules{OldReads::allowed, options.rmw});
    },
    .has_store_buffers = true,
    .reorders_stores = true,
    .reorders_loads = true,
    .has_rmw_barriers = true,
};

ModelState& Pso::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<PsoState>(graph, rules_);
}

}  // namespace heddle::models
