#include "engine/memory/locations.hpp"

#include "engine/scheduling/execution_observer.hpp"
#include "memory/plain_stores.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::LocationId;
using graph::MemoryOrder;

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

std::uint64_t identity(const races::AccessRecord& record) {
  return (static_cast<std::uint64_t>(record.thread) + 1) << 32 | record.index;
}

}  // namespace

void Locations::begin_execution(std::uint32_t execution) {
  locations_.begin_execution(execution);
  buffers_stores_ = log_.model_state().buffers_stores();
  last_written_.forget();
}

Locations::Located& Locations::add(const AtomicAccess& access) {
  // The last byte may lie in another cell than the first; recycling looks at the first.
  races_.cell(access.address).has_location = true;
  const auto plain = newest_plain_write(access);
  const Value value = read_memory(access.address, access.size);
  Located located;
  located.location = graph_.add_location(names_.name_of(access.address), access.size, value);
  if (buffers_stores_) {
    last_written_.resize(execution_arena_, graph_.locations().size());
    last_written_[number(located.location)] = value;
  }
  if (observer_.is_on()) [[unlikely]]
    observer_.record_location(access.address, access.size, located.location, plain);
  Located& added = locations_.add(access.address, located);
  if (graph_.is_repeating())
    repeat_imports(added);
  else if (plain)
    import_plain_store(access, added);
  return added;
}

graph::LocationId Locations::repeat(const AtomicAccess& access) {
  Located* located = locations_.find(access.address);
  if (located == nullptr) located = &add(access);
  repeat_imports(*located);
  return located->location;
}

/// The plain stores that this access, or a later one of the repetition, finds in memory are in the graph already. It
/// does not matter which of the accesses passes them.
void Locations::repeat_imports(Located& located) {
  while (graph_.is_repeating() && graph_.repeats_import_to(located.location)) {
    const Event& plain = graph_.event(graph_.next_repeated());
    if (plain.thread != graph::no_thread)
      located.imported = (static_cast<std::uint64_t>(number(plain.thread)) + 1) << 32 | plain.index;
    graph_.repeat_import();
  }
}

void Locations::forget(std::uintptr_t address) {
  const Located* known = locations_.find(address);
  if (known == nullptr) return;
  if (observer_.is_on()) observer_.give_up();
  graph_.retire(known->location);
  locations_.remove(address);
}

LocationId Locations::find(std::uintptr_t address, std::uint8_t size) {
  const Located* located = locations_.find(address);
  const bool is_known = located != nullptr && graph_.location(located->location).size == size;
  return is_known ? located->location : graph::no_location;
}

/// A plain write that is an event (ExecutionPolicy::racy_sites) has the even index of one, and the writes before it are
/// in the graph.
const races::AccessRecord* Locations::newest_plain_write(const AtomicAccess& access) const {
  const races::AccessRecord* plain = races_.newest_plain_write(access.address, access.size);
  return plain == nullptr || plain->index % 2 == 0 ? nullptr : plain;
}

bool Locations::was_stored_plainly(const AtomicAccess& access, const Located& located) const {
  const auto plain = newest_plain_write(access);
  return plain && identity(*plain) != located.imported;
}

bool Locations::memory_differs(const AtomicAccess& access, const Located& located) const {
  const Value expected = buffers_stores_ ? last_written_[number(located.location)]
                                         : graph_.event(graph_.newest_write(located.location)).written;
  return read_memory(access.address, access.size) != expected;
}

/// Memory that is reused for another type was written plainly in between. For a frame on a stack that write need not
/// show, since compilers initialise locals in ways that they do not announce.
bool Locations::is_reused(const AtomicAccess& access, const Located& located) const {
  return was_stored_plainly(access, located) || names_.is_on_a_stack(access.address);
}

void Locations::refuse_mixed_sizes(const AtomicAccess& access, const Located& located) {
  end_.unsupported(
      "the program accesses the atomic at %p with %u and with %u bytes; heddle does not support atomic accesses "
      "of different sizes to one location",
      reinterpret_cast<void*>(access.address), graph_.location(located.location).size, access.size);
}

/// Memory holds what a plain store, or uninstrumented code, left. It enters the graph as a write of the thread that
/// made it, newest in modification order.
void Locations::import_plain_store(const AtomicAccess& access, Located& located) {
  const auto plain = newest_plain_write(access);
  memory::PlainStore store;
  if (plain && identity(*plain) != located.imported) {
    store = {graph::ThreadId{plain->thread}, plain->index, plain->site(), plain->stack};
    located.imported = identity(*plain);
  }
  const Value value = read_memory(access.address, access.size);
  if (buffers_stores_) last_written_[number(located.location)] = value;
  memory::import_plain_store(graph_, log_.model_state(), located.location, value, store);
  scheduler_.unpark_readers(located.location);
}

void Locations::import_again(const AtomicAccess& access, Located& located) {
  if (observer_.is_on()) observer_.mark_opaque();
  import_plain_store(access, located);
}

void Locations::write(const AtomicAccess& access, LocationId location, Value value) {
  write_memory(access.address, access.size, value);
  if (buffers_stores_) last_written_[number(location)] = value;
}

Value Locations::held(const AtomicAccess& access) { return read_memory(access.address, access.size); }

Value Locations::show(const AtomicAccess& access, Value value) {
  const Value before = held(access);
  if (before != value) write_memory(access.address, access.size, value);
  return before;
}

void Locations::settle(const AtomicAccess& access, LocationId location, Value value) {
  if (find(access.address, access.size) != location || last_written_[number(location)] == value) return;
  if (read_memory(access.address, access.size) == last_written_[number(location)]) write(access, location, value);
}

}  // namespace heddle::engine
