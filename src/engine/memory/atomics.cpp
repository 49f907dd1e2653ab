#include "engine/memory/atomics.hpp"

#include <algorithm>

#include "base/fast_paths.hpp"
#include "base/hash.hpp"
#include "engine/memory/plain_memory.hpp"
#include "engine/operations/atomic_values.hpp"
#include "engine/scheduling/execution_observer.hpp"
#include "engine/threads/waiting_rounds.hpp"

namespace heddle::engine {

using channel::SiteOperation;
using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::LocationId;
using graph::MemoryOrder;
using graph::ThreadId;
using strategies::Choice;
using strategies::ChoiceKind;
using strategies::Option;

class Atomics::Ordered {
 public:
  Ordered(Atomics& atomics, SiteOperation operation, const AtomicAccess& access) : atomics_(atomics), access_(&access) {
    if (atomics.orders_.any()) [[unlikely]]
      change(operation, access);
  }
  ~Ordered() {
    if (fence_after_ != MemoryOrder::plain) [[unlikely]]
      atomics_.execute_fence(fence_after_, access_->site);
  }
  Ordered(const Ordered&) = delete;
  Ordered& operator=(const Ordered&) = delete;

  const AtomicAccess& access() const { return *access_; }

 private:
  [[gnu::cold, gnu::noinline]] void change(SiteOperation operation, const AtomicAccess& access) {
    changed_ = access;
    access_ = &changed_;
    atomics_.count_at(operation, access.site, access.order);
    if (const auto order = atomics_.order_at(operation, access.site)) changed_.order = *order;
    fence_after_ = atomics_.order_at(SiteOperation::fence_after, access.site).value_or(MemoryOrder::plain);
    if (const auto order = atomics_.order_at(SiteOperation::fence_before, access.site))
      atomics_.execute_fence(*order, access.site);
  }

  Atomics& atomics_;
  const AtomicAccess* access_;
  MemoryOrder fence_after_ = MemoryOrder::plain;
  AtomicAccess changed_;
};

std::optional<MemoryOrder> Atomics::order_at(SiteOperation operation, std::uint64_t site) const {
  return orders_.find(operation, site, plain_.call_stack());
}

void Atomics::count_at(SiteOperation operation, std::uint64_t site, MemoryOrder order) const {
  orders_.count(operation, site, plain_.call_stack(), order);
}

void Atomics::begin_execution(std::uint32_t execution) {
  locations_.begin_execution(execution);
  memory_.begin_execution(log_.model_state());
  unnamed_options_.forget();
  stores_.forget();
  free_stores_.forget();
  store_places_.forget();
  stores_to_.forget();
  accesses_.forget();
  pending_steps_.forget();
  buffered_ = 0;
}

// ---- the operations -----------------------------------------------------------------------------------------

/// What was found before the scheduling point holds after it unless other threads have run.
LocationId Atomics::schedule_access(const AtomicAccess& access, EventKind kind, Operation operation) {
  const LocationId location = locate(access);
  const bool others_ran = scheduler_.schedule_point(kind, access.order, operation, location, access.site);
  return others_ran || !base::fast_paths ? locate(access) : location;
}

Value Atomics::load(const AtomicAccess& given) {
  const Ordered ordered(*this, SiteOperation::load, given);
  return load(ordered.access(), Operation::atomic_load);
}

Value Atomics::load(const AtomicAccess& access, Operation operation) {
  const LocationId location = schedule_access(access, EventKind::load, operation);
  return finish_read(access, memory_.load(begin_access(access, EventKind::load, operation, location)));
}

void Atomics::store(const AtomicAccess& given, Value value) {
  const Ordered ordered(*this, SiteOperation::store, given);
  const AtomicAccess& access = ordered.access();
  if (observer_.is_on()) [[unlikely]]
    observer_.set_operand(value);
  finish_store(access, Operation::atomic_store, schedule_access(access, EventKind::store, Operation::atomic_store),
               value);
}

void Atomics::finish_store(const AtomicAccess& access, Operation operation, LocationId location, Value value) {
  Event& event = begin_access(access, EventKind::store, operation, location);
  event.written = truncated(value, access.size);
  storing_ = &access;
  finish_write(access, memory_.store(event));
}

bool Atomics::begin_volatile_load(const AtomicAccess& access, Operation operation) {
  const Value value = load(access, operation);
  const Value former = Locations::show(access, value);
  announced_ = {access, EventKind::load, operation, graph::no_location, former};
  return former != value;
}

void Atomics::begin_volatile_store(const AtomicAccess& access, Operation operation) {
  if (observer_.is_on()) observer_.mark_opaque();  // its value is not known yet
  const LocationId location = schedule_access(access, EventKind::store, operation);
  announced_ = {access, EventKind::store, operation, location, Locations::held(access)};
}

/// Real memory gets back what it held, so that a store finds it as an atomic store would.
void Atomics::end_volatile_access() {
  const Value held = Locations::show(announced_.access, announced_.former);
  if (announced_.kind == EventKind::store)
    finish_store(announced_.access, announced_.operation, announced_.location, held);
}

Value Atomics::read_modify_write(const AtomicAccess& given, Operation operation, Value operand) {
  const Ordered ordered(*this, SiteOperation::read_modify_write, given);
  const AtomicAccess& access = ordered.access();
  if (observer_.is_on()) [[unlikely]]
    observer_.set_operand(operand);
  const LocationId location = schedule_access(access, EventKind::rmw, operation);
  Event& event = begin_access(access, EventKind::rmw, operation, location);
  event.use_of_result = threads_.current().use_of_result;
  const EventId id = memory_.read_modify_write(
      event, [&](Value old) { return truncated(apply(operation, old, operand), access.size); });
  finish_write(access, id);
  return graph_.event(id).read;
}

bool Atomics::compare_exchange(const AtomicAccess& given, MemoryOrder failure, bool weak, Value& expected,
                               Value desired) {
  const Ordered ordered(*this, SiteOperation::compare_exchange, given);
  const AtomicAccess& access = ordered.access();
  const MemoryOrder given_failure = failure;
  if (orders_.any()) [[unlikely]]
    failure = order_at(SiteOperation::failed_exchange, access.site).value_or(failure);
  if (observer_.is_on()) [[unlikely]]
    observer_.set_exchange(expected, desired, failure);
  const LocationId location = schedule_access(access, EventKind::rmw, Operation::compare_exchange);
  const memory::SpuriousFailure spurious = weak ? failure_without_reason(access) : memory::SpuriousFailure::never;
  if (observer_.is_on()) [[unlikely]]
    observer_.record_spurious_failure(spurious);
  Event& event = begin_access(access, EventKind::rmw, Operation::compare_exchange, location);
  const auto exchanged =
      memory_.compare_exchange(event, {failure, spurious, expected, truncated(desired, access.size)});
  if (exchanged.succeeded) {
    finish_write(access, exchanged.event);
    return true;
  }
  if (orders_.any()) [[unlikely]]
    count_at(SiteOperation::failed_exchange, access.site, given_failure);
  // The loop around a spurious failure does not wait for another thread.
  if (exchanged.failed_spuriously) {
    if (!policy_.fails_weak_exchanges) count_spurious_failure(access);
    scheduler_.mark_progress();
  }
  expected = finish_read(access, exchanged.event);
  return false;
}

memory::SpuriousFailure Atomics::failure_without_reason(const AtomicAccess& access) {
  using memory::SpuriousFailure;
  if (policy_.fails_weak_exchanges) return SpuriousFailure::decided_last;
  const ProgramThread& self = threads_.current();
  if (policy_.bounds.weak == 0 || self.fails_in_vain || graph_.is_repeating()) return SpuriousFailure::never;
  if (self.failures.empty()) return SpuriousFailure::decided_first;
  const std::uint64_t place = place_of(access);
  for (const ProgramThread::Visit& failure : self.failures)
    if (failure.place == place && failure.count >= policy_.bounds.weak) return SpuriousFailure::never;
  return SpuriousFailure::decided_first;
}

void Atomics::count_spurious_failure(const AtomicAccess& access) {
  ProgramThread& self = threads_.current();
  const std::uint64_t place = place_of(access);
  for (ProgramThread::Visit& failure : self.failures)
    if (failure.place == place) {
      ++failure.count;
      return;
    }
  self.failures.push_back(execution_arena_, {place, 1});
}

/// Where in the program the access is, and through which calls.
std::uint64_t Atomics::place_of(const AtomicAccess& access) {
  return base::hash_words(access.site, plain_.call_stack());
}

void Atomics::fence(MemoryOrder order, std::uint64_t site) {
  if (orders_.any()) [[unlikely]] {
    count_at(SiteOperation::fence, site, order);
    order = order_at(SiteOperation::fence, site).value_or(order);
    // A fence that the run leaves out stays in the record of the execution, where other orders can be tried
    // (orders/witness.hpp). A relaxed fence has no effect.
    if (order == MemoryOrder::plain) order = MemoryOrder::relaxed;
  }
  execute_fence(order, site);
}

void Atomics::execute_fence(MemoryOrder order, std::uint64_t site, Operation operation) {
  scheduler_.schedule_point(EventKind::fence, order, operation, graph::no_location, site);
  memory_.fence(log_.begin_event(EventKind::fence, order, operation, site));
}

EventId Atomics::newest_known(std::uintptr_t address, EventId other) {
  const LocationId id = locations_.find(address, sizeof(std::uint32_t));
  if (id == graph::no_location) return other;
  const graph::Location& location = graph_.location(id);
  const graph::Thread& self = graph_.thread(threads_.current().id);
  const EventId known = location.modification_order[graph_.newest_known(location, *self.clock, threads_.current().id)];
  const bool other_is_newer = other != graph::no_event && graph_.event(other).location == id &&
                              graph_.event(other).mo_position > graph_.event(known).mo_position;
  return other_is_newer ? other : known;
}

std::uint32_t Atomics::look_at_futex(std::uintptr_t address, EventId oldest, std::uint64_t site) {
  const AtomicAccess access{address, sizeof(std::uint32_t), MemoryOrder::relaxed, site};
  if (locations_.find(address, access.size) == graph::no_location)
    return *reinterpret_cast<volatile std::uint32_t*>(address);  // not an atomic of the program
  const LocationId location = locate(access);
  Event& event = begin_access(access, EventKind::load, Operation::futex_wait, location);
  if (oldest != graph::no_event && graph_.event(oldest).location == location)
    oldest_for_futex_ = graph_.event(oldest).mo_position;
  const EventId look = memory_.load(event);
  oldest_for_futex_ = 0;
  return static_cast<std::uint32_t>(finish_read(access, look));
}

/// The position in modification order of the newest write that was made before time passed while no thread could run.
std::uint32_t Atomics::settled_position(LocationId location) const {
  const auto& order = graph_.location(location).modification_order;
  std::size_t at = order.size() - 1;
  while (at != 0 && number(order[at]) >= scheduler_.time().mark()) --at;
  return static_cast<std::uint32_t>(at);
}

void Atomics::check_if_outdated(const Event& read) {
  const Event& write = graph_.event(read.reads_from);
  if (!is_buffered(write) && write.mo_position < settled_position(read.location))
    scheduler_.time().record_outdated_read();
}

void Atomics::record_access(const AtomicAccess& access, EventId id) {
  accesses_.push_back(execution_arena_, {id, plain_.call_stack(), access.address});
}

Value Atomics::finish_read(const AtomicAccess& access, EventId id) {
  if (policy_.keeps_accesses) [[unlikely]]
    record_access(access, id);
  const Event& event = graph_.event(id);
  if (scheduler_.time().mark() != 0) [[unlikely]]
    check_if_outdated(event);
  plain_.check_atomic_access(access.address, access.size, event);
  threads_.current().loops.spin.read(
      {.site = access.site, .location = event.location, .write = event.reads_from, .value = event.read});
  return event.read;
}

void Atomics::finish_write(const AtomicAccess& access, EventId id) {
  if (policy_.keeps_accesses) [[unlikely]]
    record_access(access, id);
  const Event& event = graph_.event(id);
  plain_.check_atomic_access(access.address, access.size, event);  // may end the execution before memory is changed
  // While the graph is repeated, it already contains later writes.
  const bool is_newest =
      graph_.keeps_history() ? graph_.history_of(id).was_newest : graph_.newest_write(event.location) == id;
  if (is_newest) locations_.write(access, event.location, event.written);
  if (event.kind != EventKind::rmw || event.written != event.read) {
    const bool may_repeat = policy_.keeps_objects_in_graph && policy_.bounds.undone == 0;
    if (may_repeat && repeats_own_store(graph_, event)) [[unlikely]]
      scheduler_.mark_repeated_effect();
    else
      scheduler_.mark_progress();
    scheduler_.unpark_readers(event.location);
  } else {
    threads_.current().loops.spin.read(
        {.site = access.site, .location = event.location, .write = id, .value = event.read});
  }
}

// ---- the driver of memory::Memory ---------------------------------------------------------------------------

/// Sampling strategies need only the number of options.
std::uint32_t Atomics::choose_write(ThreadId thread, LocationId location, std::size_t count) {
  if (decider_.draws_uniformly()) return decider_.draw_uniformly(ChoiceKind::reads_from, count);
  static constexpr Option few[16] = {};
  std::span<const Option> options = few;
  if (count > options.size()) {
    if (unnamed_options_.size() < count) unnamed_options_.resize(execution_arena_, count);
    options = unnamed_options_.span();
  }
  return decider_.decide(
      Choice{.kind = ChoiceKind::reads_from, .current = thread, .options = options.first(count), .location = location});
}

/// The position in modification order before that of the newest write.
std::uint32_t Atomics::before_newest(LocationId location) const {
  const std::size_t writes = graph_.location(location).modification_order.size();
  return writes < 2 ? memory::nothing_seen : static_cast<std::uint32_t>(writes - 2);
}

std::uint32_t Atomics::newest_seen(ThreadId, LocationId location) const {
  const std::uint32_t settled = std::max(oldest_settled(location), oldest_for_futex_);
  const std::uint32_t least = settled == 0 ? memory::nothing_seen : settled - 1;
  const SpinDetector& spin = threads_.current().loops.spin;
  if (!policy_.samples_reads) return threads_.current().is_confirming ? before_newest(location) : least;
  if (!spin.is_spinning()) return least;
  for (std::uint32_t i = 0; i < spin.body_size(); ++i) {
    if (spin.body(i).location != location) continue;
    const std::uint32_t seen = graph_.event(spin.body(i).write).mo_position;
    return settled == 0 ? seen : std::max(seen, least);
  }
  return least;
}

EventId Atomics::record(std::uint32_t mo_position) {
  const EventId id = log_.record(mo_position);
  if (mo_position == ExecutionGraph::unplaced) [[unlikely]]
    keep_in_buffer(id);
  return id;
}

// ---- store buffers ------------------------------------------------------------------------------------------

/// Real memory gets the value at once, for plain reads of the same thread.
void Atomics::keep_in_buffer(EventId store) {
  const Event& event = graph_.event(store);
  add_buffered(store, event.location);
  ++buffered_;
  locations_.write(*storing_, event.location, event.written);
  // No other thread can tell when the store reaches memory.
  if (threads_.is_alone()) commit_oldest_store_of(event.thread);
}

void Atomics::add_buffered(EventId store, LocationId location) {
  const bool has_free = !free_stores_.empty();
  const std::uint32_t place = has_free ? free_stores_.back() : static_cast<std::uint32_t>(stores_.size());
  if (has_free)
    free_stores_.pop_back();
  else
    stores_.push_back(execution_arena_, {});
  if (store_places_.size() <= number(store)) store_places_.resize(execution_arena_, number(store) + std::size_t{1});
  store_places_[number(store)] = place;
  while (stores_to_.size() <= number(location)) stores_to_.push_back(execution_arena_, {});
  StoreList& list = stores_to_[number(location)];
  stores_[place] = {store, *storing_, list.last, no_store};
  (list.last == no_store ? list.first : stores_[list.last].after) = place;
  list.last = place;
}

AtomicAccess Atomics::remove_buffered(EventId store, LocationId location) {
  const std::uint32_t place = store_places_[number(store)];
  const BufferedStore& removed = stores_[place];
  StoreList& list = stores_to_[number(location)];
  (removed.before == no_store ? list.first : stores_[removed.before].after) = removed.after;
  (removed.after == no_store ? list.last : stores_[removed.after].before) = removed.before;
  free_stores_.push_back(execution_arena_, place);
  return removed.access;
}

void Atomics::reached_memory(EventId store) {
  --buffered_;
  const Event& event = graph_.event(store);
  const AtomicAccess access = remove_buffered(store, event.location);
  const bool is_last = stores_to_[number(event.location)].first == no_store;
  // The frame of a local variable may be gone: an older value on the thread's own stack stays.
  const bool is_local = threads_.at(event.thread).fiber.stack().contains(access.address);
  if (is_last && !is_local) locations_.settle(access, event.location, event.written);
  scheduler_.unpark_readers(event.location);
}

void Atomics::list(base::ArenaVector<Option>& options) {
  const auto steps = memory_.internal_steps();
  const std::size_t first = options.size();
  for (const EventId store : steps)
    options.push_back(execution_arena_, {.thread = graph_.event(store).thread, .write = store});
  std::sort(options.begin() + first, options.end(), [this](const Option& a, const Option& b) {
    return precedes(&threads_.at(a.thread), &threads_.at(b.thread));
  });
  pending_steps_.resize(execution_arena_, steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // The other threads see the store at once, as they see a seq_cst store.
    pending_steps_[i].kind = EventKind::store;
    pending_steps_[i].order = MemoryOrder::seq_cst;
    pending_steps_[i].location = graph_.event(options[first + i].write).location;
    options[first + i].pending = &pending_steps_[i];
  }
}

void Atomics::commit_oldest_store_of(ThreadId thread) {
  if (const EventId store = memory_.state().oldest_store(thread); store != graph::no_event) memory_.commit_store(store);
}

/// A plain store to the location is about to enter the graph, as the newest write. Buffered stores come before it.
void Atomics::commit_stores_to(LocationId location) {
  while (number(location) < stores_to_.size() && stores_to_[number(location)].first != no_store)
    commit_oldest_store_of(graph_.event(stores_[stores_to_[number(location)].first].event).thread);
}

void Atomics::end_execution() {
  if (orders_.any()) [[unlikely]]
    orders_.mark_shared(graph_);
  for (std::uint32_t thread = 0; any(); ++thread)
    for (EventId store; (store = memory_.state().oldest_store(ThreadId{thread})) != graph::no_event;) {
      graph_.place(store);
      memory_.state().left_buffer(store);
      --buffered_;
    }
}

}  // namespace heddle::engine
