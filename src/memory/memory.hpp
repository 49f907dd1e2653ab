// Atomic operations on an execution graph: load, store, read-modify-write, compare-exchange, fence. Memory asks the
// model's state what is allowed, asks the strategy which of it happens, and lets the driver record the event. The fiber
// engine and the litmus interpreter are its two drivers. They differ in scheduling, in where values come from, and in
// what else they do with an event; which choices an operation has is decided here.
//
// How a driver performs an operation: begin an event in the graph (ExecutionGraph::begin_event) and set its thread,
// kind, order, location and size, and for a store the value; then call the function below, which sets the rest and
// records the event.
//
// A template, so that the driver's functions are inlined: every event of every execution passes through here.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "graph/execution_graph.hpp"
#include "models/fitting_writes.hpp"
#include "models/memory_model.hpp"
#include "strategies/strategy.hpp"

namespace heddle::memory {

/// Driver::newest_seen(): the thread may read old writes.
inline constexpr std::uint32_t nothing_seen = 0xffffffffU;

template <typename T>
concept Driver = requires(T& driver, const strategies::Choice& choice, std::size_t count, graph::ThreadId thread,
                          graph::LocationId location, std::uint32_t mo_position, graph::EventId store) {
  /// The index of the option that the strategy chooses. There are at least two.
  { driver.choose(choice) } -> std::same_as<std::uint32_t>;
  /// True: the strategy needs to know which writes a read may take. False: it needs only their number, and Memory calls
  /// choose_write() instead of choose() where that saves a list.
  { driver.names_writes() } -> std::same_as<bool>;
  { driver.choose_write(thread, location, count) } -> std::same_as<std::uint32_t>;
  /// The thread waits in a loop and has read this location before: the position in modification order of what it read.
  /// Memory offers only newer writes if there are any. Otherwise nothing_seen.
  { driver.newest_seen(thread, location) } -> std::same_as<std::uint32_t>;
  /// The position in modification order before which no store goes any more. 0: stores go anywhere.
  { driver.oldest_settled(location) } -> std::same_as<std::uint32_t>;
  /// Appends the event that was begun at this position of modification order, commits it to the model and tells the
  /// strategy.
  { driver.record(mo_position) } -> std::same_as<graph::EventId>;
  /// A buffered store has reached memory.
  driver.reached_memory(store);
};

/// When it is decided that a weak compare-exchange fails spuriously.
enum class SpuriousFailure : std::uint8_t {
  never,  ///< the compare-exchange is strong
  /// Before it is chosen what it reads. Exact: a spurious failure may read every write that a load may read.
  decided_first,
  /// After it read the expected value. A spurious failure then reads only what a success may read, which loses some
  /// behaviours, but a compare-exchange that fails anyway costs no decision.
  decided_last,
};

struct CompareExchange {
  graph::MemoryOrder failure_order;
  SpuriousFailure spurious_failure;
  graph::Value expected;
  graph::Value desired;
};

template <typename D>
class Memory {
 public:
  struct Exchanged {
    graph::EventId event;
    bool succeeded;
    bool failed_spuriously;
  };

  /// `arena` is for scratch of one execution.
  Memory(graph::ExecutionGraph& graph, base::Arena& arena, D& driver) : graph_(graph), arena_(arena), driver_(driver) {}

  /// `state` is the model's state for the execution that begins.
  void begin_execution(models::ModelState& state) {
    static_assert(Driver<D>);
    state_ = &state;
    options_.forget();
    forget_graph_arena();
  }
  /// The graph is about to move to another arena.
  void forget_graph_arena() {
    candidates_.forget();
    fitting_.forget();
    steps_.forget();
    slots_.forget();
  }
  models::ModelState& state() { return *state_; }

  graph::EventId load(graph::Event& load) {
    settle_before(load);
    load.reads_from = choose_write_for(load);
    load.read = graph_.event(load.reads_from).written;
    return driver_.record(graph::ExecutionGraph::newest);
  }

  graph::EventId store(graph::Event& store) {
    if (!state_->buffers_stores()) [[likely]]
      return driver_.record(choose_slot_for(store));
    settle_before(store);
    const graph::EventId id = driver_.record(graph::ExecutionGraph::unplaced);
    settle_after(graph_.event(id));
    return id;
  }

  /// `modify` maps the value that is read to the value that is written.
  template <typename Modify>
  graph::EventId read_modify_write(graph::Event& rmw, Modify modify) {
    settle_before(rmw);
    rmw.reads_from = choose_write_for(rmw);
    const graph::Event& source = graph_.event(rmw.reads_from);
    rmw.read = source.written;
    rmw.written = modify(rmw.read);
    return driver_.record(source.mo_position + 1);
  }

  /// `event` is that of a success, an rmw. What is read decides: a write with the expected value makes the operation an
  /// rmw, any other a load with the failure order.
  Exchanged compare_exchange(graph::Event& event, const CompareExchange& exchange);

  graph::EventId fence(graph::Event& fence) {
    settle_before(fence);
    return driver_.record(graph::ExecutionGraph::newest);
  }

  // ---- store buffers ------------------------------------------------------------------------------------------
  /// The stores that may reach memory now, each by an internal step. Valid until the next call.
  std::span<const graph::EventId> internal_steps() {
    steps_.clear();
    if (state_->buffers_stores()) state_->committable_stores(steps_);
    return steps_.span();
  }
  /// Whether buffered stores of the thread have to reach memory before the operation. A driver may let the thread wait
  /// until internal steps have done that, so that the strategy decides when. settle_before() does it at once.
  bool has_to_settle_before(graph::ThreadId thread, const strategies::PendingOperation& operation) {
    if (!state_->buffers_stores()) [[likely]]
      return false;
    graph::Event event;
    event.thread = thread;
    event.kind = operation.kind;
    event.order = operation.order;
    event.location = operation.location;
    return state_->must_reach_memory_before(event) != graph::no_event;
  }
  /// An internal step: the store reaches memory.
  void commit_store(graph::EventId store) {
    graph_.place(store);
    state_->left_buffer(store);
    driver_.reached_memory(store);
  }
  /// Commits the stores that have to reach memory before `event` is executed. load() and the like call it; the driver
  /// calls it for other events, such as those of synchronisation objects.
  void settle_before(const graph::Event& event) {
    if (!state_->buffers_stores()) [[likely]]
      return;
    for (graph::EventId store; (store = state_->must_reach_memory_before(event)) != graph::no_event;)
      commit_store(store);
  }

 private:
  using Writes = std::span<const graph::EventId>;

  void settle_after(const graph::Event& event) {
    for (graph::EventId store; (store = state_->must_reach_memory_after(event)) != graph::no_event;)
      commit_store(store);
  }

  graph::EventId choose_write_for(const graph::Event& read) {
    if (graph_.is_repeating()) return repeated().reads_from;
    if (base::fast_paths && !driver_.names_writes())
      if (const std::uint32_t oldest = state_->readable_from(read); oldest != models::ModelState::unknown)
        return read.kind == graph::EventKind::load ? choose_from(read, oldest)
                                                   : choose_fitting(read, models::FitsUpdate(oldest));
    candidates_.clear();
    state_->readable_writes(read, candidates_);
    keep_newer_than_seen(read, candidates_);
    return choose_listed(read, candidates_.span());
  }

  /// For a load that may read every write from position `oldest` on.
  graph::EventId choose_from(const graph::Event& load, std::uint32_t oldest) {
    const auto& order = graph_.location(load.location).modification_order;
    oldest = oldest_unseen(load, oldest);
    const std::size_t count = order.size() - oldest;
    return count == 1 ? order[oldest] : order[oldest + driver_.choose_write(load.thread, load.location, count)];
  }

  /// For a read that may read the writes from position fits.oldest() on that fit.
  template <typename Fits>
  graph::EventId choose_fitting(const graph::Event& read, const Fits& fits) {
    const models::FittingWrites writes(graph_, read.location, fits, oldest_unseen(read, fits.oldest()));
    const std::uint32_t count = writes.size();
    return count == 1 ? writes.newest() : writes[driver_.choose_write(read.thread, read.location, count)];
  }

  /// The oldest position that is offered to a read that may read from `oldest` on. See keep_newer_than_seen().
  std::uint32_t oldest_unseen(const graph::Event& read, std::uint32_t oldest) {
    const std::uint32_t seen_at = driver_.newest_seen(read.thread, read.location);
    if (seen_at == nothing_seen) [[likely]]
      return oldest;
    const std::size_t size = graph_.location(read.location).modification_order.size();
    return seen_at + std::size_t{1} < size && seen_at >= oldest ? seen_at + 1 : oldest;
  }

  /// A thread that waits in a loop does not get a value that it has seen if there is a newer one. Otherwise a strategy
  /// that prefers old values would let it wait for ever.
  void keep_newer_than_seen(const graph::Event& read, base::ArenaVector<graph::EventId>& candidates) {
    const std::uint32_t seen_at = driver_.newest_seen(read.thread, read.location);
    if (seen_at == nothing_seen || graph_.event(candidates.back()).mo_position <= seen_at) return;
    std::size_t kept = 0;
    for (const graph::EventId write : candidates)
      if (graph_.event(write).mo_position > seen_at) candidates[kept++] = write;
    candidates.truncate(kept);
  }

  graph::EventId choose_listed(const graph::Event& read, Writes candidates) {
    if (candidates.size() == 1) return candidates[0];
    options_.resize(arena_, candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) options_[i] = {.write = candidates[i]};
    return candidates[driver_.choose(strategies::Choice{.kind = strategies::ChoiceKind::reads_from,
                                                        .current = read.thread,
                                                        .options = options_,
                                                        .location = read.location})];
  }

  /// The next event, while the driver repeats an execution: what it reads, and where it goes, is decided.
  const graph::Event& repeated() const { return graph_.event(graph_.next_repeated()); }

  std::uint32_t choose_slot_for(const graph::Event& store) {
    if (graph_.is_repeating()) return graph::ExecutionGraph::newest;
    if (base::fast_paths && state_->goes_last(store)) return graph::ExecutionGraph::newest;
    slots_.clear();
    state_->mo_slots(store, slots_);
    keep_slots_after(driver_.oldest_settled(store.location));
    if (slots_.size() == 1) return slots_[0];
    options_.resize(arena_, slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) options_[i] = {.number = slots_[i]};
    return slots_[driver_.choose(strategies::Choice{.kind = strategies::ChoiceKind::mo_slot,
                                                    .current = store.thread,
                                                    .options = options_,
                                                    .location = store.location})];
  }

  /// Keeps the slots behind the write at this position. The newest slot is among them.
  void keep_slots_after(std::uint32_t position) {
    if (position == 0) [[likely]]
      return;
    std::size_t kept = 0;
    for (const std::uint32_t slot : slots_)
      if (slot > position) slots_[kept++] = slot;
    slots_.truncate(kept);
  }

  bool choose_to_fail(graph::ThreadId thread) {
    options_.resize(arena_, 2);
    for (std::uint32_t i = 0; i < 2; ++i) options_[i] = {.number = i};
    return driver_.choose(strategies::Choice{strategies::ChoiceKind::spurious, thread, options_}) == 1;
  }

  /// The event of a compare-exchange, as the one or the other of what it may become. It changes in its place in the
  /// graph, because copies of events take time.
  class ExchangeEvent {
   public:
    ExchangeEvent(graph::Event& event, graph::MemoryOrder failure_order)
        : event_(event), success_order_(event.order), failure_order_(failure_order) {}
    graph::Event& as_update() {
      event_.kind = graph::EventKind::rmw;
      event_.order = success_order_;
      event_.failed_exchange = graph::FailedExchange::no;
      return event_;
    }
    graph::Event& as_load() {
      using graph::FailedExchange;
      event_.kind = graph::EventKind::load;
      event_.order = failure_order_;
      event_.failed_exchange =
          is_release(success_order_) ? FailedExchange::release : FailedExchange::weaker_than_release;
      return event_;
    }

   private:
    graph::Event& event_;
    graph::MemoryOrder success_order_;
    graph::MemoryOrder failure_order_;
  };
  graph::EventId choose_write_for_exchange(ExchangeEvent event, graph::Value expected);
  bool list_spurious_failures(const graph::Event& load, graph::Value expected);

  graph::ExecutionGraph& graph_;
  base::Arena& arena_;
  D& driver_;
  models::ModelState* state_ = nullptr;
  // Scratch of the choices; in the graph's arena, but for the options.
  base::ArenaVector<graph::EventId> candidates_;
  base::ArenaVector<graph::EventId> fitting_;
  base::ArenaVector<graph::EventId> steps_;
  base::ArenaVector<std::uint32_t> slots_;
  base::ArenaVector<strategies::Option> options_;
};

/// The write that a compare-exchange reads, if it does not fail spuriously. A load and an rmw may read different
/// writes: their memory orders differ, and no two rmws read one write. Of the writes that a load may read those with
/// another value than the expected one are offered, of the writes that an rmw may read those with the expected value.
template <typename D>
graph::EventId Memory<D>::choose_write_for_exchange(ExchangeEvent event, graph::Value expected) {
  if (graph_.is_repeating()) return repeated().reads_from;
  if (base::fast_paths && !driver_.names_writes()) {
    constexpr std::uint32_t unknown = models::ModelState::unknown;
    const std::uint32_t for_load = state_->readable_from(event.as_load());
    const std::uint32_t for_update = state_->readable_from(event.as_update());
    if (for_load != unknown && for_update != unknown)
      return choose_fitting(event.as_load(), models::FitsCompareExchange(for_load, for_update, expected));
  }
  candidates_.clear();
  state_->readable_writes(event.as_load(), candidates_);
  const std::size_t as_load = candidates_.size();
  state_->readable_writes(event.as_update(), candidates_);
  fitting_.clear();
  // Both lists are in modification order; so is the merged one.
  std::size_t l = 0, s = as_load;
  while (l < as_load || s < candidates_.size()) {
    const bool take_load = s == candidates_.size() || (l < as_load && graph_.event(candidates_[l]).mo_position <=
                                                                          graph_.event(candidates_[s]).mo_position);
    const graph::EventId write = take_load ? candidates_[l++] : candidates_[s++];
    if ((graph_.event(write).written == expected) != take_load) fitting_.push_back(graph_.arena(), write);
  }
  const graph::Event& load = event.as_load();
  keep_newer_than_seen(load, fitting_);
  return choose_listed(load, fitting_.span());
}

/// Lists in fitting_ the writes with the expected value that a load may read. False: there are none.
template <typename D>
bool Memory<D>::list_spurious_failures(const graph::Event& load, graph::Value expected) {
  candidates_.clear();
  fitting_.clear();
  state_->readable_writes(load, candidates_);
  for (const graph::EventId write : candidates_)
    if (graph_.event(write).written == expected) fitting_.push_back(graph_.arena(), write);
  return !fitting_.empty();
}

template <typename D>
typename Memory<D>::Exchanged Memory<D>::compare_exchange(graph::Event& event, const CompareExchange& exchange) {
  settle_before(event);
  ExchangeEvent becoming(event, exchange.failure_order);
  const bool repeats = graph_.is_repeating();
  bool fails_spuriously = repeats ? repeated().failed_spuriously
                                  : exchange.spurious_failure == SpuriousFailure::decided_first &&
                                        list_spurious_failures(becoming.as_load(), exchange.expected) &&
                                        choose_to_fail(event.thread);
  const graph::EventId write = fails_spuriously && !repeats ? choose_listed(event, fitting_.span())
                                                            : choose_write_for_exchange(becoming, exchange.expected);
  const graph::Event& source = graph_.event(write);
  const bool matches = source.written == exchange.expected;
  if (matches && exchange.spurious_failure == SpuriousFailure::decided_last && !repeats)
    fails_spuriously = choose_to_fail(event.thread);
  const bool succeeds = matches && !fails_spuriously;
  succeeds ? becoming.as_update() : becoming.as_load();
  event.reads_from = write;
  event.read = source.written;
  event.failed_spuriously = fails_spuriously;
  if (succeeds) event.written = exchange.desired;
  const std::uint32_t position = succeeds ? source.mo_position + 1 : graph::ExecutionGraph::newest;
  return {driver_.record(position), succeeds, fails_spuriously};
}

}  // namespace heddle::memory
