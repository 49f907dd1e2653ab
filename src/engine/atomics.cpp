#include "engine/atomics.hpp"

#include <cstring>

#include "base/fast_paths.hpp"
#include "engine/plain_memory.hpp"
#include "models/fitting_writes.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::LocationId;
using graph::MemoryOrder;
using strategies::Choice;
using strategies::ChoiceKind;
using strategies::Option;

namespace {

Value read_memory(std::uintptr_t address, std::size_t size) {
  const auto* at = reinterpret_cast<const volatile void*>(address);
  switch (size) {
    case 1: return *static_cast<const volatile std::uint8_t*>(at);
    case 2: return *static_cast<const volatile std::uint16_t*>(at);
    case 4: return *static_cast<const volatile std::uint32_t*>(at);
    case 8: return *static_cast<const volatile std::uint64_t*>(at);
    default: return *static_cast<const volatile Value*>(at);
  }
}

void write_memory(std::uintptr_t address, std::size_t size, Value value) {
  auto* at = reinterpret_cast<volatile void*>(address);
  switch (size) {
    case 1: *static_cast<volatile std::uint8_t*>(at) = static_cast<std::uint8_t>(value); break;
    case 2: *static_cast<volatile std::uint16_t*>(at) = static_cast<std::uint16_t>(value); break;
    case 4: *static_cast<volatile std::uint32_t*>(at) = static_cast<std::uint32_t>(value); break;
    case 8: *static_cast<volatile std::uint64_t*>(at) = static_cast<std::uint64_t>(value); break;
    default: *static_cast<volatile Value*>(at) = value; break;
  }
}

Value truncated(Value value, std::size_t size) {
  return size == 16 ? value : static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - 8 * size));
}

Value apply(Operation operation, Value old, Value operand) {
  switch (operation) {
    case Operation::atomic_exchange: return operand;
    case Operation::atomic_add: return old + operand;
    case Operation::atomic_sub: return old - operand;
    case Operation::atomic_and: return old & operand;
    case Operation::atomic_or: return old | operand;
    case Operation::atomic_xor: return old ^ operand;
    case Operation::atomic_nand: return ~(old & operand);
    default: return old;
  }
}

std::uint64_t identity(const races::AccessRecord& record) {
  return (static_cast<std::uint64_t>(record.thread) + 1) << 32 | record.index;
}

}  // namespace

Atomics::Located& Atomics::add_located(const AtomicAccess& access) {
  // The last byte may lie in another cell than the first; recycling looks at the first.
  races_.cell(access.address).has_location = true;
  const auto plain = races_.newest_plain_write(access.address, access.size);
  const Value value = read_memory(access.address, access.size);
  Located located;
  located.location = graph_.add_location(names_.name_of(access.address), access.size, value);
  Located& added = locations_.add(access.address, located);
  if (plain) import_plain_store(access, added);
  return added;
}

void Atomics::begin_execution(std::uint32_t execution) {
  locations_.begin_execution(execution);
  forget_scratch();
  options_.forget();
  unnamed_options_.forget();
}

void Atomics::forget_scratch() {
  candidates_.forget();
  fitting_.forget();
  slots_in_mo_.forget();
}

void Atomics::forget_location(std::uintptr_t address) {
  const Located* known = locations_.find(address);
  if (known == nullptr) return;
  graph_.retire(known->location);
  locations_.remove(address);
}

/// The location of an atomic access, with everything in its modification order that memory shows.
LocationId Atomics::locate(const AtomicAccess& access) {
  Located* located = locations_.find(access.address);
  if (located == nullptr) return add_located(access).location;
  const graph::Location& location = graph_.location(located->location);
  const auto plain = races_.newest_plain_write(access.address, access.size);
  const bool stored_plainly = plain && identity(*plain) != located->imported;
  if (location.size != access.size) {
    // Memory that begins a new life as another type was written plainly in between; for a frame on a stack that write
    // need not show, since compilers initialise locals in ways they do not announce.
    if (!stored_plainly && !names_.is_on_a_stack(access.address))
      end_.unsupported(
          "the program accesses the atomic at %p with %u and with %u bytes; heddle does not support atomic accesses "
          "of different sizes to one location",
          reinterpret_cast<void*>(access.address), location.size, access.size);
    forget_location(access.address);
    return add_located(access).location;
  }
  const Value newest = graph_.event(graph_.newest_write(located->location)).written;
  if (stored_plainly || read_memory(access.address, access.size) != newest) import_plain_store(access, *located);
  return located->location;
}

/// Memory holds what a plain store (or uninstrumented code) left: it enters the graph as a write of the thread
/// that made it, newest in modification order.
void Atomics::import_plain_store(const AtomicAccess& access, Located& located) {
  const auto plain = races_.newest_plain_write(access.address, access.size);
  Event& event = graph_.begin_event();
  event.kind = EventKind::store;
  event.order = MemoryOrder::plain;
  event.size = access.size;
  event.location = located.location;
  event.written = read_memory(access.address, access.size);
  if (plain && identity(*plain) != located.imported) {
    event.thread = graph::ThreadId{plain->thread};
    event.index = plain->index;
    event.site = plain->site();
    event.stack = plain->stack;
    located.imported = identity(*plain);
  }
  // Otherwise uninstrumented code wrote (a memset that the compiler expanded, say), and the thread is unknown. The
  // write then counts as known to every thread, which may lose a behaviour but never invents one.
  const EventId id = graph_.append(event);
  log_.model_state().commit(id);
  scheduler_.note_write(located.location);
}

EventId Atomics::choose_write(std::span<const EventId> candidates) {
  if (candidates.size() == 1) return candidates[0];
  options_.resize(execution_arena_, candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) options_[i] = {.write = candidates[i]};
  return candidates[decider_.decide(Choice{ChoiceKind::reads_from, threads_.current().id, options_})];
}

/// Sampling strategies need only the number of options.
std::uint32_t Atomics::choose_unnamed(std::size_t count) {
  if (decider_.draws_uniformly()) return decider_.draw_uniformly(ChoiceKind::reads_from, count);
  static constexpr Option few[16] = {};
  std::span<const Option> options = few;
  if (count > options.size()) {
    if (unnamed_options_.size() < count) unnamed_options_.resize(execution_arena_, count);
    options = unnamed_options_.span();
  }
  return decider_.decide(Choice{ChoiceKind::reads_from, threads_.current().id, options.first(count)});
}

/// The oldest place from which a thread that spins reads if it may read from `oldest` on, see keep_newer_than_seen().
std::uint32_t Atomics::oldest_unseen(LocationId location, std::uint32_t oldest) const {
  const std::uint32_t seen_at = newest_seen(location);
  const std::size_t size = graph_.location(location).modification_order.size();
  return seen_at != nothing_seen && seen_at + std::size_t{1} < size && seen_at >= oldest ? seen_at + 1 : oldest;
}

/// The write that a load takes, where the model says which without a list.
EventId Atomics::choose_write_from(LocationId location, std::uint32_t oldest) {
  const auto& order = graph_.location(location).modification_order;
  if (threads_.current().spin.is_spinning()) oldest = oldest_unseen(location, oldest);
  const std::size_t count = order.size() - oldest;
  return count == 1 ? order[oldest] : order[oldest + choose_unnamed(count)];
}

/// The write that an update takes: of those from `fits.oldest()` on, only some fit.
template <typename Fits>
EventId Atomics::choose_fitting_write(LocationId location, const Fits& fits) {
  const std::uint32_t oldest =
      threads_.current().spin.is_spinning() ? oldest_unseen(location, fits.oldest()) : fits.oldest();
  const models::FittingWrites writes(graph_, location, fits, oldest);
  const std::uint32_t count = writes.size();
  return count == 1 ? writes.newest() : writes[choose_unnamed(count)];
}

/// Where in modification order the write is that the thread's spin loop read, if it is in one that reads this location.
std::uint32_t Atomics::newest_seen(LocationId location) const {
  const SpinDetector& spin = threads_.current().spin;
  for (std::uint32_t i = 0; i < spin.body_size(); ++i)
    if (spin.body(i).location == location) return graph_.event(spin.body(i).write).mo_position;
  return nothing_seen;
}

/// A thread that spins on a stale value while a newer one is there has seen enough of the stale one: otherwise a
/// strategy that always prefers it would spin for ever.
void Atomics::keep_newer_than_seen(LocationId location, base::ArenaVector<EventId>& candidates) {
  if (!policy_.samples_reads) return;
  const std::uint32_t seen_at = newest_seen(location);
  if (seen_at == nothing_seen || graph_.event(candidates.back()).mo_position <= seen_at) return;
  std::size_t kept = 0;
  for (const EventId write : candidates)
    if (graph_.event(write).mo_position > seen_at) candidates[kept++] = write;
  candidates.resize(execution_arena_, kept);
}

/// What was found before the scheduling point holds after it unless others have run.
LocationId Atomics::schedule_access(const AtomicAccess& access, EventKind kind, Operation operation) {
  const LocationId location = locate(access);
  const bool others_ran = scheduler_.schedule_point(kind, access.order, operation, location, access.site);
  return others_ran || !base::fast_paths ? locate(access) : location;
}

Value Atomics::finish_read(const AtomicAccess& access, Event& event) {
  const EventId source = event.reads_from;
  event.read = graph_.event(source).written;
  const EventId id = log_.record();
  plain_.check_atomic_access(access.address, access.size, graph_.event(id));
  threads_.current().spin.read({access.site, event.location, event.read, source});
  return event.read;
}

void Atomics::finish_write(const AtomicAccess& access, Event& event, std::uint32_t mo_position) {
  const bool changes = event.kind != EventKind::rmw || event.written != event.read;
  const EventId id = log_.record(mo_position);
  if (graph_.newest_write(event.location) == id) write_memory(access.address, access.size, event.written);
  plain_.check_atomic_access(access.address, access.size, graph_.event(id));
  if (changes) {
    scheduler_.note_progress();
    scheduler_.note_write(event.location);
  } else {
    threads_.current().spin.read({access.site, event.location, event.read, id});
  }
}

EventId Atomics::choose_write_for(const Event& read) {
  if (base::fast_paths && policy_.samples_reads)
    if (const std::uint32_t oldest = log_.model_state().readable_from(read); oldest != models::ModelState::unknown)
      return read.kind == EventKind::load ? choose_write_from(read.location, oldest)
                                          : choose_fitting_write(read.location, models::FitsUpdate(oldest));
  candidates_.clear();
  log_.model_state().readable_writes(read, candidates_);
  if (threads_.current().spin.is_spinning()) keep_newer_than_seen(read.location, candidates_);
  return choose_write(candidates_);
}

/// Where in modification order a store goes.
std::uint32_t Atomics::choose_place_for(const Event& write) {
  if (base::fast_paths && log_.model_state().goes_last(write)) return graph::ExecutionGraph::newest;
  slots_in_mo_.clear();
  log_.model_state().mo_slots(write, slots_in_mo_);
  if (slots_in_mo_.size() == 1) return slots_in_mo_[0];
  options_.resize(execution_arena_, slots_in_mo_.size());
  for (std::size_t i = 0; i < slots_in_mo_.size(); ++i) options_[i] = {.number = slots_in_mo_[i]};
  return slots_in_mo_[decider_.decide(Choice{ChoiceKind::mo_slot, threads_.current().id, options_})];
}

Value Atomics::load(const AtomicAccess& access) {
  const LocationId location = schedule_access(access, EventKind::load, Operation::atomic_load);
  Event& event = begin_access(access, EventKind::load, Operation::atomic_load, location);
  event.reads_from = choose_write_for(event);
  return finish_read(access, event);
}

void Atomics::store(const AtomicAccess& access, Value value) {
  const LocationId location = schedule_access(access, EventKind::store, Operation::atomic_store);
  Event& event = begin_access(access, EventKind::store, Operation::atomic_store, location);
  event.written = truncated(value, access.size);
  finish_write(access, event, choose_place_for(event));
}

Value Atomics::read_modify_write(const AtomicAccess& access, Operation operation, Value operand) {
  const LocationId location = schedule_access(access, EventKind::rmw, operation);
  Event& event = begin_access(access, EventKind::rmw, operation, location);
  event.reads_from = choose_write_for(event);
  const Event& source = graph_.event(event.reads_from);
  event.read = source.written;
  event.written = truncated(apply(operation, event.read, operand), access.size);
  finish_write(access, event, source.mo_position + 1);
  return event.read;
}

/// What a compare-exchange may read if it succeeds and if it fails are different questions: an rmw must not share its
/// write, and the memory orders differ. Of each answer the writes with the fitting value count, merged by mo.
EventId Atomics::choose_write_for_exchange(const Event& load, const Event& success, Value expected) {
  if (base::fast_paths && policy_.samples_reads) {
    constexpr std::uint32_t unknown = models::ModelState::unknown;
    const std::uint32_t for_load = log_.model_state().readable_from(load);
    const std::uint32_t for_update = log_.model_state().readable_from(success);
    if (for_load != unknown && for_update != unknown)
      return choose_fitting_write(load.location, models::FitsCompareExchange(for_load, for_update, expected));
  }
  candidates_.clear();
  log_.model_state().readable_writes(load, candidates_);
  const std::size_t as_load = candidates_.size();
  log_.model_state().readable_writes(success, candidates_);
  fitting_.clear();
  std::size_t l = 0, s = as_load;
  while (l < as_load || s < candidates_.size()) {
    const bool take_load = s == candidates_.size() || (l < as_load && graph_.event(candidates_[l]).mo_position <=
                                                                          graph_.event(candidates_[s]).mo_position);
    const EventId write = take_load ? candidates_[l++] : candidates_[s++];
    if ((graph_.event(write).written == expected) != take_load) fitting_.push_back(graph_.arena(), write);
  }
  if (threads_.current().spin.is_spinning()) keep_newer_than_seen(success.location, fitting_);
  return choose_write(fitting_);
}

bool Atomics::compare_exchange(const AtomicAccess& access, MemoryOrder failure, bool weak, Value& expected,
                               Value desired) {
  const LocationId location = schedule_access(access, EventKind::rmw, Operation::compare_exchange);
  Event success = begin_access(access, EventKind::rmw, Operation::compare_exchange, location);
  Event load = success;
  load.kind = EventKind::load;
  load.order = failure;

  const EventId write = choose_write_for_exchange(load, success, expected);
  const Event& source = graph_.event(write);
  const bool matches = source.written == expected;
  const bool may_fail_spuriously = weak && policy_.fails_weak_exchanges;
  if (matches && !(may_fail_spuriously && scheduler_.choose_number(ChoiceKind::spurious, 2) == 1)) {
    success.reads_from = write;
    success.read = source.written;
    success.written = truncated(desired, access.size);
    Event& event = graph_.begin_event();
    event = success;
    finish_write(access, event, source.mo_position + 1);
    return true;
  }
  load.reads_from = write;
  if (matches) scheduler_.note_progress();  // the loop around a spurious failure does not wait for another thread
  Event& event = graph_.begin_event();
  event = load;
  expected = finish_read(access, event);
  return false;
}

std::uint32_t Atomics::read_newest(std::uintptr_t address, std::uint64_t site) {
  const AtomicAccess access{address, sizeof(std::uint32_t), MemoryOrder::relaxed, site};
  const Located* located = locations_.find(address);
  if (located == nullptr || graph_.location(located->location).size != access.size)
    return *reinterpret_cast<volatile std::uint32_t*>(address);  // not an atomic of the program
  const LocationId location = locate(access);
  Event& event = begin_access(access, EventKind::load, Operation::futex_wait, location);
  event.reads_from = graph_.newest_write(event.location);
  return static_cast<std::uint32_t>(finish_read(access, event));
}

void Atomics::fence(MemoryOrder order, std::uint64_t site) {
  scheduler_.schedule_point(EventKind::fence, order, Operation::fence, graph::no_location, site);
  log_.begin_event(EventKind::fence, order, Operation::fence, site);
  log_.record();
}

}  // namespace heddle::engine
